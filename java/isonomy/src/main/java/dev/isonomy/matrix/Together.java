// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.matrix;

import java.util.Map;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Where the calls of a parallel batch meet, which proves that they run side by side. */
final class Together {

    private static final long LIMIT_SECONDS = 20;
    private static final Map<Integer, CyclicBarrier> BARRIERS = new ConcurrentHashMap<>();

    private Together() {}

    /** Goes on once so many calls are here; 1: at once. */
    static void meet(int calls) {
        if (calls < 2) {
            return;
        }
        try {
            BARRIERS.computeIfAbsent(calls, CyclicBarrier::new).await(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException | BrokenBarrierException | TimeoutException alone) {
            throw new IllegalStateException("the calls of this batch did not run side by side", alone);
        }
    }
}
