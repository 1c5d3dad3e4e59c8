// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/** What came is no frame, or none that may come now; its connection is of no further use (W2.5 of spec/wire.md). */
public final class BrokenWireException extends IsonomyException {
    private static final long serialVersionUID = 1L;

    /** A sentence that says what came. */
    public BrokenWireException(String message) {
        super(message);
    }
}
