// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.bridge.workers;

import dev.isonomy.tools.ToolContext;

/** One call between its request and its outcome. Guarded by its link's lock, what is final apart. */
final class Pending {

    final ToolContext context;

    /** Its number on the wire; 0 before it is sent. */
    long number;
    /** The envelope, once it has come. */
    byte[] reply;
    /** The thread that sleeps until its outcome comes or it is its turn to read. */
    Thread sleeper;
    /** Run when the outcome of a call comes that nobody waits for any more; null while somebody does. */
    Runnable whenAbandoned;

    Pending(ToolContext context) {
        this.context = context;
    }
}
