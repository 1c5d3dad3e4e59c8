// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import dev.isonomy.contract.Portable;
import dev.isonomy.tools.ToolContext;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The session with a server, which is opened again by the next call after it was lost (clauses 14.11 to 14.13). Safe for
 * use by several threads.
 */
final class Session implements AutoCloseable {

    /** The revision of the protocol that is offered. */
    private static final String REVISION = "2025-11-25";

    private static final Set<String> REVISIONS = Set.of("2024-11-05", "2025-03-26", "2025-06-18", REVISION);
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
    private Unreachable refused;
    private long notBefore;

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
    Ended call(Map<String, ?> params, ToolContext context) throws Unreachable, InterruptedException {
        Connection first = opened();
        Ended ended = first.call("tools/call", params, context, null);
        if (!(ended instanceof Ended.SessionOver || ended instanceof Ended.NotSent && first.isOver())) {
            return sent(ended);
        }
        drop(first);
        return sent(opened().call("tools/call", params, context, null));
    }

    private static Ended sent(Ended ended) throws Unreachable {
        if (ended instanceof Ended.NotSent not) {
            throw new Unreachable(not.reason());
        }
        if (ended instanceof Ended.SessionOver) {
            throw new Unreachable("it knows no session that it has just begun");
        }
        return ended;
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
                read(now);
            }
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
        if (now != null && !now.isOver()) {
            return now;
        }
        opening.lockInterruptibly();
        try {
            now = connection;
            if (now != null && !now.isOver()) {
                return now;
            }
            if (closed) {
                throw new Unreachable("it was closed");
            }
            if (refused != null && System.nanoTime() - notBefore < 0) {
                throw refused;
            }
            try {
                connection = open();
                refused = null;
                return connection;
            } catch (Unreachable unreachable) {
                refused = unreachable;
                notBefore = System.nanoTime() + PAUSE_NANOS;
                throw unreachable;
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
            Map<String, ?> info = Map.of("name", "isonomy", "version", version());
            Map<?, ?> told = ask(
                    opened,
                    "initialize",
                    Map.of("protocolVersion", REVISION, "capabilities", Map.of(), "clientInfo", info));
            opened.begin(agreed(told.get("protocolVersion")), startTimeout);
            read(opened);
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

    private void read(Connection from) throws Unreachable, InterruptedException {
        stale = false;
        boolean read = false;
        try {
            reading.read((method, params) -> ask(from, method, params));
            read = true;
        } finally {
            stale |= !read;
        }
    }

    private Map<?, ?> ask(Connection from, String method, Map<String, ?> params)
            throws Unreachable, InterruptedException {
        Ended ended = from.call(method, params, null, startTimeout);
        if (ended instanceof Ended.Replied replied) {
            return Listing.result(replied.reply(), method);
        }
        if (ended instanceof Ended.Lost lost) {
            throw new Unreachable(lost.settled().error().message());
        }
        if (ended instanceof Ended.NotSent not) {
            throw new Unreachable(not.reason());
        }
        if (ended instanceof Ended.SessionOver) {
            throw new Unreachable("it does not know the session");
        }
        throw new Unreachable("it did not answer " + method + " in " + seconds(startTimeout) + " seconds");
    }

    /** Seconds as a person writes them: 30, 0.5. */
    private static String seconds(Duration duration) {
        return new java.math.BigDecimal(duration.toMillis()).movePointLeft(3).stripTrailingZeros().toPlainString();
    }

    private static String agreed(Object revision) throws Unreachable {
        if (revision instanceof String known && REVISIONS.contains(known)) {
            return known;
        }
        String said = revision instanceof String text && text.length() <= 40 ? Portable.quoted(text) : "it does not tell";
        throw new Unreachable("it speaks the revision " + said + ", which is not known here");
    }

    private static String version() {
        String version = Session.class.getPackage().getImplementationVersion();
        return version == null ? "0" : version;
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
