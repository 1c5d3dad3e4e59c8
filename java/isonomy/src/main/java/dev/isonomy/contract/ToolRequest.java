// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.List;

/**
 * A batch of calls, in order (clause 8.2).
 *
 * @param id the caller's id of the batch, or null
 * @param calls the calls, unmodifiable
 */
public record ToolRequest(String id, List<ToolCall> calls) {
    /** Copies the calls. */
    public ToolRequest {
        calls = Copies.list(calls, "the calls of a request");
    }

    /** A request without an id. */
    public static ToolRequest of(ToolCall... calls) {
        return new ToolRequest(null, List.of(calls));
    }
}
