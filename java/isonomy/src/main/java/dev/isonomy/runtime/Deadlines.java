// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The clock of an executor: one daemon thread that runs what is due. Jobs are short and must not throw. */
final class Deadlines {

    private static final Duration CENTURY = Duration.ofDays(36_500);

    private static final class ClockThread extends Thread {
        ClockThread(Runnable work) {
            super(work, "isonomy-deadlines");
            setDaemon(true);
        }
    }

    private ScheduledThreadPoolExecutor timer;
    private boolean closed;

    /** A time to wait in nanoseconds, at most a century, so that sums of such times do not overflow. */
    static long nanos(Duration duration) {
        return duration.compareTo(CENTURY) < 0 ? duration.toNanos() : CENTURY.toNanos();
    }

    /** Has a job run at {@code at}, a time of {@link System#nanoTime}; never, once closed. */
    synchronized Future<?> at(long at, Runnable job) {
        if (closed) {
            return CompletableFuture.completedFuture(null);
        }
        if (timer == null) {
            timer = new ScheduledThreadPoolExecutor(1, ClockThread::new);
            timer.setRemoveOnCancelPolicy(true);
            timer.setKeepAliveTime(30, TimeUnit.SECONDS);
            timer.allowCoreThreadTimeOut(true);
        }
        return timer.schedule(job, at - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    /** Whether the current thread is the clock's. */
    boolean isCurrentThread() {
        return Thread.currentThread() instanceof ClockThread;
    }

    /** Drops what is not due yet. */
    synchronized void close() {
        closed = true;
        if (timer != null) {
            timer.shutdownNow();
        }
    }
}
