// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.List;
import java.util.Map;

/**
 * A tool operation that failed.
 *
 * @param error why, never null
 * @param content blocks for the model, unmodifiable
 * @param meta values for the application, unmodifiable, in order
 */
public record ToolFailure(ToolError error, List<Block> content, Map<String, Object> meta) implements ToolResponse {
    /** Refuses a missing error and copies content and meta. */
    public ToolFailure {
        Misuse.required(error, "the error of a failure");
        content = Copies.list(content, "content");
        meta = Copies.map(meta, "meta");
    }

    /** A failure without content and meta. */
    public ToolFailure(ToolError error) {
        this(error, List.of(), Map.of());
    }

    @Override
    public boolean isSuccess() {
        return false;
    }

    @Override
    public Object unwrap() {
        throw new ToolFailed(this);
    }
}
