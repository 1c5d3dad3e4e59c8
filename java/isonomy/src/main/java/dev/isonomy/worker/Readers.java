// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.worker;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * The threads of a worker, of which one at a time reads. Whoever reads may let another read on before it runs a body
 * that may take long, or run a body that should be quick at once; where that turns out slow, another reads on without
 * it.
 */
final class Readers {

    /** A body that takes longer was not quick after all. */
    private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    /** So many looks that found nothing to watch, and the watchdog sleeps until it is woken. */
    private static final int LOOKS = 20;
    private static final long KEEP_IDLE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Work work;
    private final Watchdog watchdog = new Watchdog();
    /** Guarded by itself. */
    private final Deque<Reader> idle = new ArrayDeque<>();

    /** What a reader does while it is its turn, again and again. */
    @FunctionalInterface
    interface Work {
        void once(Turn turn);
    }

    /** The turn of one reader. */
    interface Turn {
        /** Lets another reader read on; once, and the turn is over. */
        void pass();

        /** Runs a body that should be quick; where it is not, another reader reads on meanwhile. */
        void keep(Runnable body);
    }

    Readers(Work work) {
        this.work = work;
    }

    /** Starts the first reader, whose turn it is, and the watchdog. */
    void start() {
        watchdog.start();
        readOn();
    }

    private void readOn() {
        Reader next;
        synchronized (idle) {
            next = idle.pollFirst();
        }
        if (next == null) {
            new Reader().start();
        } else {
            next.wake();
        }
    }

    private static void own(Thread thread, boolean daemon) {
        thread.setDaemon(daemon);
        thread.setUncaughtExceptionHandler(Ending::uncaught);
    }

    private final class Reader extends Thread implements Turn {

        /** Set by whoever makes it this reader's turn. */
        private volatile boolean reads = true;

        Reader() {
            super("isonomy-call");
            own(this, true);
        }

        @Override
        public void run() {
            do {
                while (reads) {
                    work.once(this);
                }
            } while (awaitTurn());
        }

        @Override
        public void pass() {
            reads = false;
            readOn();
        }

        @Override
        public void keep(Runnable body) {
            watchdog.watch(this);
            body.run();
            reads = watchdog.release(this);
        }

        void wake() {
            reads = true;
            LockSupport.unpark(this);
        }

        /** Waits for the next turn; false where there was none for so long that this thread may end. */
        private boolean awaitTurn() {
            synchronized (idle) {
                idle.addFirst(this);
            }
            long endsAt = System.nanoTime() + KEEP_IDLE_NANOS;
            while (!reads) {
                LockSupport.parkNanos(Readers.this, endsAt - System.nanoTime());
                Thread.interrupted(); // by a tool that does not know that its call is over; park would not wait
                if (!reads && endsAt - System.nanoTime() <= 0) {
                    synchronized (idle) {
                        if (idle.remove(this)) {
                            return false;
                        }
                    }
                    endsAt = System.nanoTime() + KEEP_IDLE_NANOS; // it was taken, and is about to be woken
                }
            }
            return true;
        }
    }

    /** Sees that a reader that runs a body keeps nobody from reading for long. Asleep while there is none. */
    private final class Watchdog extends Thread {

        private final AtomicReference<Reader> watched = new AtomicReference<>();
        /** How many bodies there were, so that one is told from the next. */
        private volatile long bodies;
        private volatile boolean asleep;

        Watchdog() {
            super("isonomy-watchdog");
            own(this, false); // it keeps the process alive
        }

        void watch(Reader reader) {
            bodies = bodies + 1; // by the one whose turn it is
            watched.set(reader);
            if (asleep) {
                LockSupport.unpark(this);
            }
        }

        /** Says that the body has ended; false where it was slow, and another has the turn. */
        boolean release(Reader reader) {
            return watched.compareAndSet(reader, null);
        }

        @Override
        public void run() {
            int looks = 0;
            while (true) {
                long seen = bodies;
                Reader reader = watched.get();
                looks = reader == null && seen == bodies ? looks + 1 : 0;
                if (looks > LOOKS) {
                    asleep = true;
                    while (watched.get() == null) {
                        LockSupport.park(this);
                        Thread.interrupted(); // with it set, park would not wait
                    }
                    asleep = false;
                    looks = 0;
                }
                LockSupport.parkNanos(this, SLOW_NANOS);
                if (reader != null && seen == bodies && watched.compareAndSet(reader, null)) {
                    reader.reads = false;
                    readOn();
                }
            }
        }
    }
}
