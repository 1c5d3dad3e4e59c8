// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;

/**
 * How many calls of one tool may run at once ({@code maxParallel}, clause 8.7). Callers that own a thread wait for a
 * permit; batches on the pool ask again when they are told that one is free. Safe for use by several threads.
 */
final class Permits {

    private final Semaphore free;
    private final Queue<Runnable> watchers = new ConcurrentLinkedQueue<>();

    Permits(int limit) {
        this.free = new Semaphore(limit);
    }

    /** Waits for a permit. */
    void take() throws InterruptedException {
        free.acquire();
    }

    /** Takes a permit, or has {@code freed} called once when it may be worth while to ask again. */
    boolean takeOrWatch(Runnable freed) {
        if (free.tryAcquire()) {
            return true;
        }
        watchers.add(freed);
        // A permit that was released between the two lines above told nobody.
        return free.tryAcquire();
    }

    /** Gives a permit back. */
    void release() {
        free.release();
        // Everyone: the longest watcher may have no use for it any more.
        for (Runnable watcher = watchers.poll(); watcher != null; watcher = watchers.poll()) {
            watcher.run();
        }
    }
}
