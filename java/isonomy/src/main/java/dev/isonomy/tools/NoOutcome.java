// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

/**
 * Thrown by {@link BoundTool#invoke} in place of an outcome: the body threw what the runtime
 * registered as passing, a control signal or its caller's interruption (clauses 8.9 and 8.10). It
 * never leaves the runtime.
 */
public final class NoOutcome extends RuntimeException {

    private static final long serialVersionUID = 1L;

    NoOutcome(Throwable signal) {
        super(null, signal, false, false);
    }

    /** What the body threw. */
    public Throwable signal() {
        return getCause();
    }
}
