// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.bridge;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * A call on a thread of its own, so that the host's thread that waits for it can look up now and then: a signal reaches
 * a host between its own steps only.
 */
public final class CallAside {

    private static final ExecutorService THREADS = Executors.newCachedThreadPool(body -> {
        Thread thread = new Thread(body, "isonomy-call");
        thread.setDaemon(true);
        return thread;
    });

    private final CountDownLatch ended = new CountDownLatch(1);
    private byte[] envelope;
    private long tookNanos;

    private CallAside() {}

    /** Starts a call, see {@link BridgeEndpoint#call(byte[], long)}. */
    public static CallAside start(BridgeEndpoint endpoint, byte[] request, long token) {
        CallAside aside = new CallAside();
        THREADS.execute(() -> {
            long began = System.nanoTime();
            aside.envelope = endpoint.call(request, token);
            aside.tookNanos = System.nanoTime() - began;
            aside.ended.countDown();
        });
        return aside;
    }

    /** How long the call took, once it has ended; without what it took to get to its thread and back. */
    public long tookNanos() {
        return tookNanos;
    }

    /** Waits for the envelope; null where the call has not ended within so many milliseconds. */
    public byte[] reply(long millis) {
        try {
            if (!ended.await(millis, TimeUnit.MILLISECONDS)) {
                return null;
            }
        } catch (InterruptedException meantForTheHost) {
            return null; // it looks up, and comes back if it still wants to
        }
        return envelope;
    }
}
