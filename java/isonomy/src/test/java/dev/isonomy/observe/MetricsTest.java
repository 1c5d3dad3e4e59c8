// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Execution;
import dev.isonomy.contract.ExecutionEvent;
import dev.isonomy.contract.ExecutionEvent.Type;
import dev.isonomy.contract.Notice;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Counters and latencies (clause 9.4). */
final class MetricsTest {

    private final Metrics metrics = new Metrics();

    private void tell(Type type, Execution execution, Integer attempts, Long durationUs, ErrorKind kind) {
        metrics.emit(new ExecutionEvent(
                type, null, 0, 0, null, "tool", "files", Instant.EPOCH, execution, attempts, durationUs, kind,
                type == Type.CANCELLED ? ExecutionEvent.CANCELLED : null, null));
    }

    @Test
    void executedCallsByKindAndLatency() {
        for (int i = 0; i < 3; i++) {
            tell(Type.STARTED, Execution.EXECUTED, null, null, null);
        }
        assertEquals(3, metrics.snapshot().inFlight());
        tell(Type.FINISHED, Execution.EXECUTED, 1, 10L, null);
        tell(Type.FAILED, Execution.EXECUTED, 3, 11L, ErrorKind.TIMEOUT);
        tell(Type.FINISHED, Execution.EXECUTED, 1, 99_000_000L, null);
        MetricsSnapshot snapshot = metrics.snapshot();
        assertEquals(0, snapshot.inFlight());
        assertEquals(2, snapshot.succeeded("tool"));
        assertEquals(1, snapshot.failed("tool"));
        assertEquals(
                Map.of(new MetricsSnapshot.Key("tool", "files", null), 2L,
                        new MetricsSnapshot.Key("tool", "files", ErrorKind.TIMEOUT), 1L),
                snapshot.calls());
        assertEquals(2, snapshot.retries());
        MetricsSnapshot.Latencies latency = snapshot.latency().get("tool");
        assertEquals(3, latency.count());
        assertEquals(99_000_021L, latency.sumUs());
        assertEquals(1, latency.buckets().get(0), "10 is within the first bound");
        assertEquals(1, latency.buckets().get(1));
        assertEquals(1, latency.buckets().get(latency.buckets().size() - 1));
    }

    @Test
    void unknownNamesAreCountedTogether() {
        tell(Type.FAILED, Execution.NOT_EXECUTED, 0, null, ErrorKind.NOT_FOUND);
        assertEquals(Map.of(new MetricsSnapshot.Key("", "files", ErrorKind.NOT_FOUND), 1L), metrics.snapshot().calls());
    }

    /** K and G1: what did not run has no latency, and a reused call is no new call. */
    @Test
    void whatDidNotRunHasNoLatency() {
        tell(Type.FAILED, Execution.NOT_EXECUTED, 0, null, ErrorKind.NOT_RUN);
        tell(Type.REUSED, Execution.REUSED, null, null, null);
        tell(Type.STARTED, Execution.EXECUTED, null, null, null);
        tell(Type.CANCELLED, Execution.EXECUTED, null, null, null);
        metrics.emit(Notice.lateResult("tool"));
        metrics.emit(Notice.droppedEvent("sink"));
        metrics.emit(Notice.droppedEvent("sink"));
        MetricsSnapshot snapshot = metrics.snapshot();
        assertEquals(0, snapshot.inFlight());
        assertEquals(1, snapshot.failed("tool"));
        assertEquals(Map.of(), snapshot.latency());
        assertEquals(1, snapshot.reused());
        assertEquals(1, snapshot.cancelled());
        assertEquals(1, snapshot.lateResults());
        assertEquals(2, snapshot.droppedEvents());
        assertEquals(0, snapshot.succeeded("tool"));
    }
}
