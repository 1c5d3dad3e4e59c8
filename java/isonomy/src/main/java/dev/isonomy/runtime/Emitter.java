// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import dev.isonomy.contract.Event;
import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.Notice;
import dev.isonomy.contract.Sink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sink boundary: events go to sinks, and nothing that a sink does comes back (clause 9.5). Safe for use by several
 * threads.
 */
final class Emitter {

    private static final Logger LOGGER = LoggerFactory.getLogger(Emitter.class);

    private final Sink[] sinks;
    private final List<SinkQueue> queues = new ArrayList<>();
    private final Set<String> logged = ConcurrentHashMap.newKeySet();

    Emitter(List<Sink> sinks) {
        this.sinks = new Sink[sinks.size()];
        for (int i = 0; i < this.sinks.length; i++) {
            Sink sink = sinks.get(i);
            if (sink == null) {
                throw new Misuse("sink " + i + " is null; give a sink");
            }
            if (sink.direct()) {
                this.sinks[i] = sink;
            } else {
                SinkQueue queue = new SinkQueue(sink, this);
                queues.add(queue);
                this.sinks[i] = queue;
            }
        }
    }

    /** Hands one event to every sink. */
    void emit(Event event) {
        for (Sink sink : sinks) {
            hand(sink, event);
        }
    }

    /** Hands one event to one sink; an event that it does not take is counted. */
    void hand(Sink sink, Event event) {
        try {
            sink.emit(event);
        } catch (Throwable thrown) { // a sink may throw anything, and no response changes for it (clause 9.5)
            lost(sink, thrown.getClass().getName(), event);
        }
    }

    /** Counts an event that a sink did not take, and logs the first of each reason. */
    void lost(Sink sink, String reason, Event event) {
        String name = sink.getClass().getName();
        if (logged.add(System.identityHashCode(sink) + reason)) {
            LOGGER.warn("the sink {} lost an event ({}); further ones are counted, not logged", name, reason);
        }
        if (event instanceof Notice) {
            return;
        }
        Notice notice = Notice.droppedEvent(name);
        for (Sink other : sinks) {
            if (other != sink && !(other instanceof SinkQueue queue && queue.feeds(sink))) {
                hand(other, notice);
            }
        }
    }

    /** Waits until queued sinks took what was emitted before; false if that took too long. */
    boolean flush(Duration timeout) throws InterruptedException {
        long end = System.nanoTime() + timeout.toNanos();
        boolean all = true;
        for (SinkQueue queue : queues) {
            all &= queue.flush(end - System.nanoTime());
        }
        return all;
    }

    /** Gives queued sinks a last time for what is left. */
    void close(Duration timeout) {
        long end = System.nanoTime() + timeout.toNanos();
        queues.forEach(queue -> queue.close(end - System.nanoTime()));
    }
}
