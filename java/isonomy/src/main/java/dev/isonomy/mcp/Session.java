// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import dev.isonomy.tools.ToolContext;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The session with a server, which is opened again by the next call after it was lost (clauses 14.11 to 14.13). Safe for
 * use by several threads.
 */
final class Session implements AutoCloseable {

    /** After an attempt to open a connection that failed there is no other in this time (clause 14.13). */
    private static final long PAUSE_NANOS = 1_000_000_000L;

    /** Reads what a server offers. */
    @FunctionalInterface
    interface Reading {
        void read(Listing.Ask ask) throws Unreachable, InterruptedException;
    }

    private final McpServerBuilder settings;
    private final ServerLog log;
    private final Reading reading;
    private final Duration startTimeout;

    private final ReentrantLock opening = new ReentrantLock();
    private volatile Connection connection;
    /** One that is being opened. */
    private volatile Connection begun;
    private volatile boolean stale;
    private volatile boolean closed;
    /** Why it could not be opened the last time, null where it could, and from when on it is tried again. */
    private volatile Unreachable refused;
    private volatile long notBefore;

    Session(McpServerBuilder settings, ServerLog log, Reading reading) {
        this.settings = settings;
        this.log = log;
        this.reading = reading;
        this.startTimeout = settings.startTimeout;
    }

    /**
     * Sends a call; where the server says that the session is over, once more in a new one (clause 14.12), and so where
     * the connection turns out to have ended before a byte was written.
     *
     * @throws Unreachable it was not sent
     */
    Ended call(Request request, ToolContext context) throws Unreachable, InterruptedException {
        Connection first = opened();
        Ended ended = first.call(request, context, null);
        if (!(ended instanceof Ended.SessionOver || ended instanceof Ended.NotSent not && not.overBefore())) {
            return sent(ended);
        }
        drop(first);
        Connection second = opened();
        ended = second.call(request, context, null);
        if (ended instanceof Ended.SessionOver) {
            drop(second);
        }
        return sent(ended);
    }

    private Ended sent(Ended ended) throws Unreachable {
        if (ended instanceof Ended.NotSent not) {
            throw refusing(new Unreachable(not.reason()));
        }
        if (ended instanceof Ended.SessionOver) {
            throw Unreachable.sessionOver(); // of this request; others may be taken
        }
        return ended;
    }

    /** Has the same said again for a moment. */
    private Unreachable refusing(Unreachable unreachable) {
        notBefore = System.nanoTime() + PAUSE_NANOS;
        refused = unreachable;
        return unreachable;
    }

    /** Whether the server said that its tools have changed. */
    boolean isStale() {
        return stale;
    }

    /** Reads the tools again, unless another thread has just done so. */
    void refresh() throws Unreachable, InterruptedException {
        Connection now = opened(); // which reads them where it is new
        opening.lockInterruptibly();
        try {
            if (stale) {
                read(new Asking(now, startTimeout));
            }
        } catch (Unreachable unreachable) {
            if (!unreachable.isSessionOver) {
                throw unreachable;
            }
            drop(now);
            opened();
        } finally {
            opening.unlock();
        }
    }

    /**
     * The open connection, or a new one.
     *
     * @throws Unreachable there is none
     */
    Connection opened() throws Unreachable, InterruptedException {
        Connection now = connection;
        if (now != null && !now.isSpent() && refused == null) {
            return now;
        }
        opening.lockInterruptibly();
        try {
            if (closed) {
                throw new Unreachable("it was closed");
            }
            Unreachable last = refused;
            if (last != null && System.nanoTime() - notBefore < 0) {
                throw last;
            }
            now = connection;
            try {
                if (now == null || now.isSpent()) {
                    connection = open();
                    if (now != null) {
                        now.retire();
                    }
                }
                refused = null;
                return connection;
            } catch (Unreachable unreachable) {
                throw refusing(unreachable);
            }
        } finally {
            opening.unlock();
        }
    }

    private Connection open() throws Unreachable, InterruptedException {
        Connection opened = settings.open(log, () -> stale = true);
        begun = opened;
        boolean ready = false;
        try {
            Asking ask = new Asking(opened, startTimeout);
            Beginning.of(opened, ask);
            read(ask);
            if (closed) {
                throw new Unreachable("it was closed");
            }
            ready = true;
            return opened;
        } finally {
            begun = null;
            if (!ready) {
                opened.close();
            }
        }
    }

    private void read(Asking ask) throws Unreachable, InterruptedException {
        stale = false;
        boolean read = false;
        try {
            reading.read(ask);
            read = true;
        } finally {
            stale |= !read;
        }
    }

    private void drop(Connection old) {
        opening.lock();
        try {
            if (connection == old) {
                connection = null;
            }
        } finally {
            opening.unlock();
        }
        old.retire();
    }

    /** Ends what is open or being opened; idempotent. */
    @Override
    public void close() {
        closed = true;
        Connection half = begun;
        if (half != null) {
            half.close();
        }
        Connection now = connection;
        if (now != null) {
            now.close();
        }
    }
}
