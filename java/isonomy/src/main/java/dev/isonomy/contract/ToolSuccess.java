// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.List;
import java.util.Map;

/**
 * A tool operation that succeeded.
 *
 * @param result the result, possibly null; the tool's own object within one process (clause 5.30)
 * @param content blocks for the model, unmodifiable
 * @param meta values for the application, unmodifiable, in order
 */
public record ToolSuccess(Object result, List<Block> content, Map<String, Object> meta) implements ToolResponse {
    /** Refuses a response as the result (clause 2.7) and copies content and meta. */
    public ToolSuccess {
        if (result instanceof ToolResponse) {
            throw new Misuse("the result of a success is itself a response; return that response");
        }
        content = Copies.list(content, "content");
        meta = Copies.map(meta, "meta");
    }

    @Override
    public boolean isSuccess() {
        return true;
    }

    @Override
    public ToolError error() {
        return null;
    }

    @Override
    public Object unwrap() {
        return result;
    }
}
