// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import dev.isonomy.contract.Effect;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Settled;
import dev.isonomy.tools.ToolContext;
import java.math.BigInteger;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * One open connection, and what every one does, whatever carries it (clauses 14.9, 14.10, 14.14 and 14.15). Safe for use
 * by several threads.
 */
abstract class Connection implements Received, AutoCloseable {

    /** The server's name, as a JSON string. */
    final String name;
    /** The most bytes of one message. */
    final int cap;
    final ServerLog log;

    private final Runnable changed;
    private final AtomicLong numbers = new AtomicLong();
    private final Waiting waiting = new Waiting();
    /** What every request has in its {@code _meta}. */
    private volatile Map<String, Object> stamp = Map.of();
    private volatile boolean over;
    private volatile Settled how;
    private volatile boolean retired;

    /** @param changed called when the server says that its tools have changed */
    Connection(String name, int cap, ServerLog log, Runnable changed) {
        this.name = name;
        this.cap = cap;
        this.log = log;
        this.changed = changed;
    }

    /**
     * Sends a request and waits for its end.
     *
     * @param context is told of progress, null for a request that is no call
     * @param limit the longest wait, null for none
     * @throws InterruptedException the thread was interrupted: the server is told that nobody waits any more
     */
    Ended call(Request request, ToolContext context, Duration limit) throws InterruptedException {
        Pending pending = new Pending(numbers.incrementAndGet(), request, context);
        waiting.add(pending);
        try {
            if (over) { // looked at only now: the end tells those who wait
                return new Ended.NotSent(howItEnded(), true);
            }
            send(pending, message(pending));
            Ended ended = pending.await(limit);
            if (ended instanceof Ended.TooLate) {
                giveUp(pending);
            }
            return ended;
        } catch (InterruptedException cancelled) {
            if (pending.abandon()) {
                giveUp(pending);
            }
            throw cancelled;
        } finally {
            waiting.remove(pending);
            closeIfRetired();
        }
    }

    private byte[] message(Pending pending) {
        Map<String, ?> params = pending.request.params();
        Map<String, Object> meta = stamp;
        if (pending.context != null) {
            meta = new LinkedHashMap<>(meta);
            meta.put("progressToken", pending.number);
        }
        if (!meta.isEmpty()) {
            Map<String, Object> all = new LinkedHashMap<>(params);
            all.put("_meta", meta);
            params = all;
        }
        return Messages.request(pending.number, pending.request.method(), params);
    }

    /** Sends a request, whose end is told to {@code pending}; does not wait for it. */
    abstract void send(Pending pending, byte[] message);

    /** Sends a message that nobody waits for; where that is not possible, nothing. */
    abstract void tell(byte[] message);

    /** Tells the server that nobody waits for a request any more (clause 14.10). */
    void giveUp(Pending pending) {
        tell(Messages.notification("notifications/cancelled", Map.of("requestId", pending.number)));
    }

    /**
     * Says which revision of the protocol was agreed upon, and that the session begins; what is sent from then on
     * arrives after that.
     *
     * @param limit how long that may take
     */
    void begin(String revision, Duration limit) throws InterruptedException {
        tell(Messages.notification("notifications/initialized", Map.of()));
    }

    /**
     * Says that the revision is the one without sessions.
     *
     * @param meta what every request has in its {@code _meta} from now on
     */
    void beStateless(Map<String, Object> meta) {
        stamp = meta;
    }

    /** Whether the revision is the one without sessions. */
    boolean isStateless() {
        return !stamp.isEmpty();
    }

    /**
     * Asks to be told when the tools change, which the revision without sessions wants to be asked for; waits until the
     * server knows, or for a moment.
     *
     * @param limit the longest wait
     */
    void subscribe(Duration limit) throws InterruptedException {
        Subscription asked = new Subscription(numbers.incrementAndGet());
        waiting.keep(asked);
        if (over) {
            return;
        }
        send(asked, message(asked));
        asked.awaitAnswer(limit);
    }

    /** The request to be told of changes, null where there is none. */
    Subscription subscription() {
        return waiting.subscription();
    }

    /** Says that the tools may have changed. */
    final void toolsMayHaveChanged() {
        changed.run();
    }

    /** Whether the next call needs another, though those that wait on it may get their replies. */
    boolean isSpent() {
        return over;
    }

    /** Whether it has ended. */
    boolean isOver() {
        return over;
    }

    /** Ends the connection once nothing waits on it any more. */
    void retire() {
        retired = true;
        closeIfRetired();
    }

    private void closeIfRetired() {
        if (retired && waiting.isEmpty()) {
            daemon("isonomy-mcp-close", this::close).start();
        }
    }

    /** Ends the connection, in bounded time; idempotent. */
    @Override
    public abstract void close();

    /** Ends every request that waits; tells whether it had not ended before. */
    final boolean end(Supplier<Settled> why) {
        synchronized (waiting) {
            if (over) {
                return false;
            }
            how = why.get();
            over = true;
        }
        waiting.end(new Ended.Lost(how));
        return true;
    }

    /** What ended it, as far as that is known. */
    String howItEnded() {
        return how == null ? "the connection has ended" : how.error().message();
    }

    static Thread daemon(String name, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        return thread;
    }

    // What comes ----------------------------------------------------------------------------------

    @Override
    public void message(byte[] data) {
        Map<String, Object> message = Messages.read(data);
        if (message == null) {
            broken(data);
        } else {
            message(message, data);
        }
    }

    /** Does what a message says. */
    final void message(Map<String, Object> message, byte[] data) {
        if (message.get("method") instanceof String method) {
            asked(method, message);
        } else {
            Pending pending = waiting.find(message.get("id"));
            if (pending == null) {
                log.stray(data);
            } else {
                pending.end(new Ended.Replied(message));
            }
        }
    }

    /** What is broken may have been somebody's reply, who would wait for ever. */
    private void broken(byte[] data) {
        Long number = MessageId.of(data);
        Pending pending = waiting.find(number);
        if (pending == null) {
            log.stray(data);
        } else {
            pending.end(new Ended.Lost(Replies.unreadable()));
        }
    }

    @Override
    public void tooLong(byte[] head, byte[] tail) {
        Long number = MessageId.of(head, tail);
        waiting.meant(number).forEach(pending -> pending.end(tooLarge()));
    }

    @Override
    public void passes(byte[] head) {
        Long number = MessageId.of(head, new byte[0]);
        Pending pending = waiting.find(number);
        if (pending != null) {
            pending.end(tooLarge());
        }
    }

    /** What a reply beyond the cap becomes. */
    final Ended tooLarge() {
        return new Ended.Lost(Replies.settled(
                ErrorKind.TOO_LARGE, "the reply takes more than " + cap + " bytes", Effect.POSSIBLE, null));
    }

    private void asked(String method, Map<String, Object> message) {
        Map<?, ?> params = message.get("params") instanceof Map<?, ?> told ? told : Map.of();
        Object id = message.get("id");
        if (id instanceof String || id instanceof Long || id instanceof BigInteger) {
            tell(Messages.answer(id, method));
            return;
        }
        switch (method) {
            case "notifications/progress" -> progress(params);
            case "notifications/message" -> log.server(params);
            case "notifications/tools/list_changed" -> changed.run();
            case "notifications/subscriptions/acknowledged" -> acknowledged();
            default -> {
                // says nothing to a host of tools
            }
        }
    }

    private void acknowledged() {
        Subscription asked = waiting.subscription();
        if (asked != null) {
            asked.acknowledge();
        }
    }

    private void progress(Map<?, ?> params) {
        Pending pending = waiting.find(params.get("progressToken"));
        Double progress = number(params.get("progress"));
        if (pending != null && pending.context != null && progress != null && !pending.hasEnded()) {
            String message = params.get("message") instanceof String said ? said : null;
            pending.context.progress(progress, number(params.get("total")), message);
        }
    }

    private static Double number(Object value) {
        boolean isNumber = value instanceof Long || value instanceof Double || value instanceof BigInteger;
        return isNumber ? (Double) ((Number) value).doubleValue() : null;
    }
}
