// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/**
 * An exception of another language that goes on in Java: it holds what that language said. Where it is the cause of
 * a Java exception, the chain goes on with the causes that came with it (clause 4.9).
 */
public final class ForeignException extends IsonomyException {
    private static final long serialVersionUID = 1L;

    // Not serialised: an error leaves its process in its wire form only.
    private final transient ErrorInfo info;

    /** An exception that stands for that error. */
    public ForeignException(ErrorInfo info) {
        super(Misuse.required(info, "the error of a foreign exception").message());
        this.info = info;
    }

    /** The error as its own language told it. */
    public ErrorInfo info() {
        return info;
    }
}
