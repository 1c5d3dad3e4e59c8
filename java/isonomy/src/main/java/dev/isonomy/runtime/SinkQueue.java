// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import dev.isonomy.contract.Event;
import dev.isonomy.contract.Sink;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A sink behind a bounded queue and a daemon thread, so that it may block; what finds the queue full is counted. */
final class SinkQueue implements Sink {

    private static final int CAPACITY = 10_000;

    /** What the thread takes: an event to hand over, or a mark that somebody waits for. */
    private record Entry(Event event, CountDownLatch reached) {}

    private final Sink sink;
    private final Emitter emitter;
    private final BlockingQueue<Entry> queue = new ArrayBlockingQueue<>(CAPACITY);
    private volatile Thread thread;
    private volatile boolean closed;

    SinkQueue(Sink sink, Emitter emitter) {
        this.sink = sink;
        this.emitter = emitter;
    }

    /** Whether this is the queue of that sink. */
    boolean feeds(Sink other) {
        return sink == other;
    }

    @Override
    public void emit(Event event) {
        if (closed || !queue.offer(new Entry(event, null))) {
            emitter.lost(sink, closed ? "it is closed" : "its queue is full", event);
        } else if (thread == null) {
            start();
        }
    }

    private synchronized void start() {
        if (thread == null) {
            Thread made = new Thread(this::drain, "isonomy-sink-" + sink.getClass().getSimpleName());
            made.setDaemon(true);
            made.start();
            thread = made;
        }
    }

    private void drain() {
        try {
            while (!closed || !queue.isEmpty()) {
                Entry entry = queue.take();
                if (entry.event != null) {
                    emitter.hand(sink, entry.event);
                } else {
                    entry.reached.countDown();
                }
            }
        } catch (InterruptedException asked) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until the sink took what was emitted before; false if that took longer. */
    boolean flush(long nanos) throws InterruptedException {
        if (thread == null) {
            return queue.isEmpty();
        }
        CountDownLatch reached = new CountDownLatch(1);
        long end = System.nanoTime() + nanos;
        return queue.offer(new Entry(null, reached), Math.max(0, nanos), TimeUnit.NANOSECONDS)
                && reached.await(end - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    /** Gives the sink a last time for what is left, then lets its thread go. */
    void close(long nanos) {
        try {
            flush(nanos);
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
        closed = true;
        Thread running = thread;
        if (running != null) {
            running.interrupt();
        }
    }
}
