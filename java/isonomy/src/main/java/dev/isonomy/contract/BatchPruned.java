// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/** Raised where a batch is offered again whose slots were pruned (clause J5.1). */
public final class BatchPruned extends JournalException {
    private static final long serialVersionUID = 1L;

    /** A pruned batch, described in one sentence. */
    public BatchPruned(String message) {
        super(message);
    }
}
