// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import dev.isonomy.contract.IsonomyException;

/** Raised when an executor is used after {@code close}, or was closed under a running call (clause 8.14). */
public final class ExecutorClosed extends IsonomyException {

    private static final long serialVersionUID = 1L;

    ExecutorClosed() {
        super("the executor is closed; make a new ToolExecutor to run calls");
    }
}
