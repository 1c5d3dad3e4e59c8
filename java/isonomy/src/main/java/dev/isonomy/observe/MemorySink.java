// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.observe;

import dev.isonomy.contract.Event;
import dev.isonomy.contract.ExecutionEvent;
import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.ResponseEvent;
import dev.isonomy.contract.Sink;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Keeps the last events, for tests and for a look at what just happened (clause 9.6). Its events hold the responses
 * themselves, results included: it is for the process that made them. Safe for use by several threads.
 */
public final class MemorySink implements Sink {

    /** How many events are kept unless told otherwise. */
    public static final int CAPACITY = 10_000;

    private final Event[] ring;
    private long emitted;

    /** A sink of the last 10,000 events. */
    public MemorySink() {
        this(CAPACITY);
    }

    /** A sink of the last {@code capacity} events, from 1. */
    public MemorySink(int capacity) {
        if (capacity < 1) {
            throw new Misuse("a memory sink keeps at least 1 event, got " + capacity);
        }
        this.ring = new Event[capacity];
    }

    @Override
    public synchronized void emit(Event event) {
        ring[(int) (emitted++ % ring.length)] = event;
    }

    @Override
    public boolean direct() {
        return true;
    }

    /** What is kept, oldest first. */
    public synchronized List<Event> events() {
        int kept = (int) Math.min(emitted, ring.length);
        List<Event> events = new ArrayList<>(kept);
        for (long i = emitted - kept; i < emitted; i++) {
            events.add(ring[(int) (i % ring.length)]);
        }
        return events;
    }

    /** The execution events among them. */
    public List<ExecutionEvent> executions() {
        return of(ExecutionEvent.class);
    }

    /** The response events among them. */
    public List<ResponseEvent> responses() {
        return of(ResponseEvent.class);
    }

    /** Forgets every event. */
    public synchronized void clear() {
        Arrays.fill(ring, null);
        emitted = 0;
    }

    private <T extends Event> List<T> of(Class<T> type) {
        return events().stream().filter(type::isInstance).map(type::cast).toList();
    }
}
