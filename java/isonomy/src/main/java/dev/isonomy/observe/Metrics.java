// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.observe;

import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Event;
import dev.isonomy.contract.Execution;
import dev.isonomy.contract.ExecutionEvent;
import dev.isonomy.contract.Notice;
import dev.isonomy.contract.Sink;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counters and latencies of calls, read off their events (clause 9.4). Safe for use by several threads, which share no
 * lock.
 */
public final class Metrics implements Sink {

    private final Map<MetricsSnapshot.Key, LongAdder> calls = new ConcurrentHashMap<>();
    private final Map<String, Latency> latency = new ConcurrentHashMap<>();
    private final LongAdder inFlight = new LongAdder();
    private final LongAdder reused = new LongAdder();
    private final LongAdder retries = new LongAdder();
    private final LongAdder cancelled = new LongAdder();
    private final LongAdder lateResults = new LongAdder();
    private final LongAdder droppedEvents = new LongAdder();

    @Override
    public boolean direct() {
        return true;
    }

    @Override
    public void emit(Event event) {
        if (event instanceof ExecutionEvent execution) {
            count(execution);
        } else if (event instanceof Notice notice) {
            (notice.what() == Notice.What.LATE_RESULT ? lateResults : droppedEvents).increment();
        }
    }

    private void count(ExecutionEvent event) {
        switch (event.type()) {
            case STARTED -> inFlight.increment();
            case FINISHED, FAILED -> ended(event);
            case CANCELLED -> {
                inFlight.decrement();
                cancelled.increment();
            }
            case REUSED -> reused.increment();
            case PROGRESS -> { }
        }
    }

    private void ended(ExecutionEvent event) {
        if (event.execution() == Execution.EXECUTED) {
            inFlight.decrement();
        }
        if (event.attempts() != null && event.attempts() > 1) {
            retries.add(event.attempts() - 1L);
        }
        // A model makes unknown names up, and each would be a row of its own for ever.
        String tool = event.kind() == ErrorKind.NOT_FOUND ? "" : event.tool();
        MetricsSnapshot.Key key = new MetricsSnapshot.Key(tool, event.server(), event.kind());
        LongAdder counter = calls.get(key);
        (counter != null ? counter : calls.computeIfAbsent(key, any -> new LongAdder())).increment();
        if (event.durationUs() != null) {
            Latency known = latency.get(event.tool());
            (known != null ? known : latency.computeIfAbsent(event.tool(), any -> new Latency()))
                    .add(event.durationUs());
        }
    }

    /**
     * The metrics at this moment. Calls that end meanwhile may be in one of its numbers and not yet in another.
     */
    public MetricsSnapshot snapshot() {
        Map<MetricsSnapshot.Key, Long> counts = new HashMap<>();
        calls.forEach((key, counter) -> counts.put(key, counter.sum()));
        Map<String, MetricsSnapshot.Latencies> latencies = new HashMap<>();
        latency.forEach((tool, known) -> latencies.put(tool, known.snapshot()));
        return new MetricsSnapshot(
                counts, latencies, inFlight.sum(), reused.sum(), retries.sum(), cancelled.sum(), lateResults.sum(),
                droppedEvents.sum());
    }
}
