// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.bridge.workers;

import dev.isonomy.contract.IsonomyException;

/**
 * Thrown where a worker cannot be started: its program is missing, ends, or loads no tools. The message is one sentence
 * that says which program, which tools, and why.
 */
public final class WorkerUnavailable extends IsonomyException {

    private static final long serialVersionUID = 1L;

    private final String trace;

    WorkerUnavailable(String message) {
        this(message, null);
    }

    WorkerUnavailable(String message, String trace) {
        super(message);
        this.trace = trace;
    }

    /** What the worker told of the place, in the words of its language, or null. */
    public String trace() {
        return trace;
    }
}
