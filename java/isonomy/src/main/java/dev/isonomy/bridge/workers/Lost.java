// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.bridge.workers;

/** Thrown where a connection ended before the outcome of a call that may have begun. */
final class Lost extends Exception {

    private static final long serialVersionUID = 1L;

    Lost() {
        super(null, null, false, false);
    }
}
