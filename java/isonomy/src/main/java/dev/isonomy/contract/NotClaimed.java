// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/** Raised where nobody waits any more for a batch that another host owns. */
public final class NotClaimed extends IsonomyException {
    private static final long serialVersionUID = 1L;

    /** A batch that was not claimed, described in one sentence. */
    public NotClaimed(String message) {
        super(message);
    }
}
