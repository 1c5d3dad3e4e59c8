// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/**
 * The root of every exception of this library: misuse, values that cannot be carried, and the one way out of
 * a failure for whoever prefers exceptions ({@link ToolFailed}). Failures of tool calls are data
 * ({@link ToolFailure}) and are never thrown by a runtime.
 */
public class IsonomyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** An exception with a sentence that says what went wrong and where. */
    public IsonomyException(String message) {
        super(message);
    }

    /** The same with the exception that led to it. */
    public IsonomyException(String message, Throwable cause) {
        super(message, cause);
    }
}
