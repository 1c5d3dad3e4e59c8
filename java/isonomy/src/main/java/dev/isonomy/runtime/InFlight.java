// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

/** A batch that runs, as {@code close} sees it. */
interface InFlight {
    /** Ends it as cancelled; does nothing once it is over. */
    void close();
}
