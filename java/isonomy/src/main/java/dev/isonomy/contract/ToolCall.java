// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.Map;

/**
 * One request for a tool (clause 8.1).
 *
 * @param callId the caller's id, or null; none is invented
 * @param tool the name of the tool
 * @param arguments a map with string keys, JSON text, or null for no arguments; a value of another type is told of
 *     when the arguments are validated
 */
public record ToolCall(String callId, String tool, Object arguments) {
    /** Refuses a missing name. */
    public ToolCall {
        Misuse.required(tool, "the tool of a call");
    }

    /** A call without an id. */
    public static ToolCall of(String tool, Map<String, ?> arguments) {
        return new ToolCall(null, tool, arguments);
    }
}
