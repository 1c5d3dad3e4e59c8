// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The request to be told when the tools change, which goes on as long as the server does (clause 14.19). */
final class Subscription extends Pending {

    /** In this time a server that takes such requests says so; the list of its tools is read after that. */
    private static final Duration MOMENT = Duration.ofSeconds(1);

    private final CountDownLatch answered = new CountDownLatch(1);
    private volatile boolean taken;

    Subscription(long number) {
        super(
                number,
                Request.of("subscriptions/listen", Map.of("notifications", Map.of("toolsListChanged", true))),
                null);
    }

    /** The server says that it will tell. */
    void acknowledge() {
        taken = true;
        answered.countDown();
    }

    /** Whether the server has said that it will tell. */
    boolean isTaken() {
        return taken;
    }

    @Override
    void end(Ended how) {
        super.end(how);
        answered.countDown();
    }

    /** Waits until the server says that it will tell, or refuses; not longer than a moment. */
    void awaitAnswer(Duration limit) throws InterruptedException {
        answered.await(Math.min(limit.toNanos(), MOMENT.toNanos()), TimeUnit.NANOSECONDS);
    }
}
