// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import dev.isonomy.tools.ToolContext;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** One request on its way. Ended once, by any thread. */
sealed class Pending permits Subscription {

    /** Its number on the wire. */
    final long number;
    final Request request;
    /** Is told of progress; null for a request that is no call. */
    final ToolContext context;

    private final CountDownLatch over = new CountDownLatch(1);
    private Ended ended;

    Pending(long number, Request request, ToolContext context) {
        this.number = number;
        this.request = request;
        this.context = context;
    }

    /** Says how it ended, unless it has ended. */
    void end(Ended how) {
        synchronized (over) {
            if (ended == null) {
                ended = how;
                over.countDown();
            }
        }
    }

    boolean hasEnded() {
        return over.getCount() == 0;
    }

    /** Ends it where it has not ended: nobody waits any more. Tells whether that is so. */
    boolean abandon() {
        end(new Ended.TooLate());
        return how() instanceof Ended.TooLate;
    }

    /** How it ended, null where it has not. */
    Ended how() {
        synchronized (over) {
            return ended;
        }
    }

    /**
     * Waits for the end, at most so long, null for ever.
     *
     * @throws InterruptedException the thread was interrupted; the request goes on
     */
    Ended await(Duration limit) throws InterruptedException {
        if (limit == null) {
            over.await();
        } else if (!over.await(limit.toNanos(), TimeUnit.NANOSECONDS)) {
            abandon();
        }
        return how();
    }
}
