// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads that start when they are needed, up to a limit, and end after a while without work (clause 8.8). They are
 * daemons: a body that never ends must not keep the process from ending. Jobs must not throw. Safe for use by several
 * threads.
 */
final class WorkerThreads {

    private static final long IDLE_SECONDS = 30;

    private final int limit;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();
    private final Deque<Runnable> jobs = new ArrayDeque<>();
    private int count;
    private int idle;
    private int started;
    private boolean closed;

    WorkerThreads(int limit) {
        this.limit = limit;
    }

    /** How many threads live. */
    int count() {
        lock.lock();
        try {
            return count;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Runs a job on a thread, or keeps it until one is free; drops it once closed.
     *
     * @param above whether one thread above the limit may start for it
     * @return false where no thread could be started and none is there
     */
    boolean submit(Runnable job, boolean above) {
        lock.lock();
        try {
            if (closed) {
                return true;
            }
            jobs.add(job);
            if (jobs.size() <= idle || count >= limit && !above) {
                work.signal();
            } else if (!start() && count == 0) {
                jobs.remove(job);
                return false;
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private boolean start() {
        started++;
        Thread thread = new Thread(this::work, "isonomy-tool-" + started);
        thread.setDaemon(true);
        try {
            thread.start();
        } catch (OutOfMemoryError noThread) { // how a JVM says that the system gives no more threads
            return false;
        }
        count++;
        return true;
    }

    /** Takes back a job that has not begun, so that it does not wait for a thread in vain. */
    void withdraw(Runnable job) {
        lock.lock();
        try {
            jobs.remove(job);
        } finally {
            lock.unlock();
        }
    }

    /** Drops what has not begun and lets threads end: idle ones now, busy ones after their body. */
    void close() {
        lock.lock();
        try {
            closed = true;
            jobs.clear();
            work.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void work() {
        boolean ended = false;
        try {
            for (Runnable job = next(); job != null; job = next()) {
                job.run();
                // Whatever interrupted the last body is no business of the next.
                Thread.interrupted();
            }
            ended = true;
        } finally {
            if (!ended) {
                lost();
            }
        }
    }

    /** Makes room for another thread in the place of one that ends by an error of the virtual machine. */
    private void lost() {
        lock.lock();
        try {
            count--;
        } finally {
            lock.unlock();
        }
    }

    /** The next job, or null where this thread is not needed any more. */
    private Runnable next() {
        lock.lock();
        try {
            idle++;
            long left = TimeUnit.SECONDS.toNanos(IDLE_SECONDS);
            while (jobs.isEmpty() && !closed && left > 0 && count <= limit) {
                try {
                    left = work.awaitNanos(left);
                } catch (InterruptedException stray) {
                    // A late interrupt of the last body; the wait goes on.
                }
            }
            idle--;
            Runnable job = jobs.poll();
            if (job == null) {
                count--;
            }
            return job;
        } finally {
            lock.unlock();
        }
    }
}
