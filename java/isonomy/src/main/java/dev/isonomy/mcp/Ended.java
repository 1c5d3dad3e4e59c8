// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import dev.isonomy.contract.Settled;
import java.util.Map;

/** How a request ended. */
sealed interface Ended {

    /** The server replied. */
    record Replied(Map<String, Object> reply) implements Ended {}

    /** There will be no reply. */
    record Lost(Settled settled) implements Ended {}

    /** Not a byte of it was written, for this reason; whether since the connection had ended. */
    record NotSent(String reason, boolean overBefore) implements Ended {}

    /** The server does not know the session: the request was not run (clause 14.12). */
    record SessionOver() implements Ended {}

    /** Nobody waits any more. */
    record TooLate() implements Ended {}
}
