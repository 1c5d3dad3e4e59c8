// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/** Raised where another host owns the batch by now (clause J3.3); nothing was written. */
public final class LeaseLost extends JournalException {
    private static final long serialVersionUID = 1L;

    /** A lost lease, described in one sentence. */
    public LeaseLost(String message) {
        super(message);
    }
}
