// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.List;
import java.util.Map;

/**
 * Whether a tool operation succeeded (clause 1.2): a {@link ToolSuccess} or a {@link ToolFailure}, and nothing
 * third. A tool that wants to say so itself returns one:
 *
 * <pre>{@code
 * return ToolResponse.success(Map.of("sku", "a1"));
 * return ToolResponse.error("no stock");
 * return ToolResponse.failure("no stock").code("OUT").retryable(false).build();
 * }</pre>
 */
public sealed interface ToolResponse permits ToolSuccess, ToolFailure {
    /** Whether this is a {@link ToolSuccess}. */
    boolean isSuccess();

    /** The error of a failure, null for a success. */
    ToolError error();

    /** Blocks for the model, in order; empty by default. */
    List<Block> content();

    /** Values for the application, never shown to a model, in order; empty by default; values may be null. */
    Map<String, Object> meta();

    /**
     * The result of a success.
     *
     * @throws ToolFailed for a failure (clause 1.6)
     */
    Object unwrap();

    /** A success with a result; null is a result. */
    static ToolSuccess success(Object result) {
        return new ToolSuccess(result, List.of(), Map.of());
    }

    /** A success with a result, blocks for the model and values for the application. */
    static ToolSuccess success(Object result, List<Block> content, Map<String, ?> meta) {
        return new ToolSuccess(result, content, Copies.map(meta, "meta"));
    }

    /** A failure with a message; a blank one falls back to the kind. */
    static ToolFailure error(String message) {
        return failure(message).build();
    }

    /** A builder of a failure. */
    static FailureBuilder failure(String message) {
        return new FailureBuilder(message);
    }
}
