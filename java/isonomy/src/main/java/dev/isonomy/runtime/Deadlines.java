// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The clock of an executor: one daemon thread that runs what is due. Jobs are short and must not throw. */
final class Deadlines {

    private ScheduledThreadPoolExecutor timer;

    /** Has a job run at {@code at}, a time of {@link System#nanoTime}. */
    synchronized Future<?> at(long at, Runnable job) {
        if (timer == null) {
            timer = new ScheduledThreadPoolExecutor(1, run -> {
                Thread thread = new Thread(run, "isonomy-deadlines");
                thread.setDaemon(true);
                return thread;
            });
            timer.setRemoveOnCancelPolicy(true);
            timer.setKeepAliveTime(30, TimeUnit.SECONDS);
            timer.allowCoreThreadTimeOut(true);
        }
        return timer.schedule(job, at - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    synchronized void close() {
        if (timer != null) {
            timer.shutdownNow();
        }
    }
}
