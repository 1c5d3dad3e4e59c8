// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/** Raised where a journal has other calls for a batch than those offered (clause 13.3); nothing was started. */
public final class JournalMismatch extends IsonomyException {
    private static final long serialVersionUID = 1L;

    /** A mismatch, described in one sentence. */
    public JournalMismatch(String message) {
        super(message);
    }
}
