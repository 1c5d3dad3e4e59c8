// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/**
 * Thrown by {@link ToolResponse#unwrap()} for a failure. A tool that throws or returns it fails with that failure, as
 * if it had returned that (clause 3.2).
 */
public final class ToolFailed extends IsonomyException {
    private static final long serialVersionUID = 1L;

    // Not serialised: a failure leaves its process in its wire form only.
    private final transient ToolFailure response;

    /** An exception for that failure. */
    public ToolFailed(ToolFailure response) {
        super(Misuse.required(response, "the failure of ToolFailed").error().message());
        this.response = response;
    }

    /** An exception for a failure with that error. */
    public ToolFailed(ToolError error) {
        this(new ToolFailure(error));
    }

    /** An exception for a failure with that message. */
    public ToolFailed(String message) {
        this(ToolResponse.error(message));
    }

    /** Why the operation failed. */
    public ToolError error() {
        return response.error();
    }

    /** The whole failure. */
    public ToolFailure response() {
        return response;
    }
}
