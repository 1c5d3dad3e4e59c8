// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/**
 * How many calls of one tool may run at once ({@code maxParallel}, clause 8.7). A permit that comes free is handed to
 * whoever waits longest and still wants it. Safe for use by several threads.
 */
final class Permits {

    /** Somebody who waits for a permit. */
    @FunctionalInterface
    interface Waiter {
        /** Takes over a permit, on the thread that gave it back; false where there is no use for it any more. */
        boolean granted();
    }

    private int free;
    private final Set<Waiter> waiters = new LinkedHashSet<>();

    Permits(int limit) {
        this.free = limit;
    }

    /** Takes a permit, or has the waiter wait for one. */
    synchronized boolean takeOrWait(Waiter waiter) {
        if (free > 0) {
            free--;
            return true;
        }
        waiters.add(waiter);
        return false;
    }

    /** Waits no more; false where the waiter was told, or is just being told, that it has a permit. */
    synchronized boolean forget(Waiter waiter) {
        return waiters.remove(waiter);
    }

    /** Takes a permit, waiting for it on this thread. */
    void take() throws InterruptedException {
        CountDownLatch granted = new CountDownLatch(1);
        Waiter waiter = () -> {
            granted.countDown();
            return true;
        };
        if (takeOrWait(waiter)) {
            return;
        }
        try {
            granted.await();
        } catch (InterruptedException interrupted) {
            if (!forget(waiter)) {
                release();
            }
            throw interrupted;
        }
    }

    /** Gives a permit back. */
    void release() {
        Waiter next = next();
        while (next != null && !next.granted()) {
            next = next();
        }
    }

    private synchronized Waiter next() {
        Iterator<Waiter> longest = waiters.iterator();
        if (!longest.hasNext()) {
            free++;
            return null;
        }
        Waiter waiter = longest.next();
        longest.remove();
        return waiter;
    }
}
