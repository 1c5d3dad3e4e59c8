// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits that fail a test instead of hanging it. */
final class Hang {
    /** Far beyond what any machine needs. */
    static final long LIMIT_SECONDS = 60;

    private Hang() {}

    static void await(CountDownLatch latch) throws InterruptedException {
        assertTrue(latch.await(LIMIT_SECONDS, TimeUnit.SECONDS), "it hangs");
    }

    static void until(BooleanSupplier reached, String what) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (!reached.getAsBoolean()) {
            assertTrue(System.nanoTime() - end < 0, what);
            Thread.sleep(1);
        }
    }
}
