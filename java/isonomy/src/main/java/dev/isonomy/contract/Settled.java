// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.List;
import java.util.Map;

/**
 * A runtime decided without, or in place of, the body's end.
 *
 * @param error what it decided, never null
 * @param content blocks for the model, unmodifiable
 * @param meta values for the application, unmodifiable, in order
 * @param isForeign whether the words are another host's, whatever the kind, and are redacted as a tool's are (clause 12.6)
 */
public record Settled(ToolError error, List<Block> content, Map<String, Object> meta, boolean isForeign)
        implements Outcome {
    /** Refuses a missing error and copies content and meta. */
    public Settled {
        Misuse.required(error, "the error of a settled outcome");
        content = Copies.list(content, "content");
        meta = Copies.map(meta, "meta");
    }

    /** A decision in this host's own words. */
    public Settled(ToolError error, List<Block> content, Map<String, Object> meta) {
        this(error, content, meta, false);
    }

    /** A decision without content and meta. */
    public Settled(ToolError error) {
        this(error, List.of(), Map.of());
    }

    /** A decision of this runtime. */
    public static Settled of(ErrorKind kind, String message, Effect effect) {
        return new Settled(ToolError.builder(kind, message).effect(effect).build());
    }

    /** The failure that it means. */
    ToolFailure failure() {
        return new ToolFailure(error, content, meta);
    }
}
