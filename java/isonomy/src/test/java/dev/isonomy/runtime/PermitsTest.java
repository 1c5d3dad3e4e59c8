// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.contract.CallRecord;
import dev.isonomy.contract.Effect;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Execution;
import dev.isonomy.contract.ResponseEvent;
import dev.isonomy.contract.ToolCall;
import dev.isonomy.contract.ToolRequest;
import dev.isonomy.contract.ToolResponse;
import dev.isonomy.observe.MemorySink;
import dev.isonomy.observe.Metrics;
import dev.isonomy.tools.BoundTool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Permits of tools, and what waiting for one costs a call (clauses 8.7 and 8.8). */
final class PermitsTest {

    private final CountDownLatch letGo = new CountDownLatch(1);
    private final CountDownLatch running = new CountDownLatch(1);
    private final MemorySink memory = new MemorySink();
    private final Metrics metrics = new Metrics();

    /** A tool that is used by one call at a time, the first of which does not end by itself. */
    private final BoundTool stuck = BoundTool.named("stuck").maxParallel(1).body((arguments, context) -> {
        running.countDown();
        boolean waiting = true;
        while (waiting) {
            try {
                Hang.await(letGo);
                waiting = false;
            } catch (InterruptedException ignored) {
                // it is stuck
            }
        }
        return "through";
    });
    private final BoundTool fine = BoundTool.named("fine").body((arguments, context) -> "ok");

    private static ToolCall call(String tool) {
        return new ToolCall(null, tool, null);
    }

    @Test
    void aPermitGoesToWhoWaitsLongestAndWantsIt() {
        Permits permits = new Permits(1);
        List<String> told = new ArrayList<>();
        Permits.Waiter first = () -> told.add("first");
        Permits.Waiter declines = () -> {
            told.add("declines");
            return false;
        };
        Permits.Waiter last = () -> told.add("last");
        assertTrue(permits.takeOrWait(() -> false));
        for (Permits.Waiter each : List.of(first, declines, last)) {
            assertFalse(permits.takeOrWait(each));
        }
        assertTrue(permits.forget(first));
        assertFalse(permits.forget(first));
        permits.release();
        assertEquals(List.of("declines", "last"), told);
        permits.release();
        assertTrue(permits.takeOrWait(first), "nobody waits");
        assertEquals(2, told.size());
    }

    /** 8.8: a tool that is stuck keeps its permit, and later calls end at their deadlines, never run. */
    @Test
    void waitingForAPermitCountsTowardsTheDeadlineOfACall() throws Exception {
        try (ToolExecutor executor = ToolExecutor.builder().tools(stuck, fine).sink(memory).sink(metrics).build()) {
            CompletableFuture<ToolResponse> holder = executor.callAsync("stuck", Map.of());
            Hang.await(running);
            Duration brief = Duration.ofMillis(30);
            assertNeverRan(executor.run(ToolRequest.of(call("stuck")), BatchOptions.DEFAULT.withCallDeadline(brief)));
            memory.clear();
            ResponseEvent inOrder = executor.run(
                    ToolRequest.of(call("stuck"), call("stuck"), call("fine")), BatchOptions.DEFAULT.withCallDeadline(brief));
            assertNeverRan(inOrder);
            assertEquals(
                    List.of("failed 0 not_run", "failed 1 not_run", "started 2", "finished 2"), Told.of(memory));
            ResponseEvent together = executor.run(
                    new ToolRequest(null, Collections.nCopies(20, call("stuck"))),
                    BatchOptions.inParallel(4).withCallDeadline(brief));
            assertNeverRan(together);
            assertEquals(20, together.records().size());
            letGo.countDown();
            assertEquals("through", holder.get(Hang.LIMIT_SECONDS, TimeUnit.SECONDS).unwrap());
            // Nobody who gave up holds a permit or stands in the way.
            assertEquals("through", executor.call("stuck", Map.of()).unwrap());
            assertEquals(0, metrics.snapshot().inFlight());
            assertEquals(0, metrics.snapshot().lateResults());
        }
    }

    private static void assertNeverRan(ResponseEvent event) {
        for (CallRecord each : event.records()) {
            if (each.tool().equals("stuck")) {
                assertEquals(Execution.NOT_EXECUTED, each.execution());
                assertEquals(ErrorKind.NOT_RUN, each.response().error().kind());
                assertEquals(Effect.NONE, each.response().error().effect());
                assertEquals("not started: the deadline passed", each.response().error().message());
            } else {
                assertTrue(each.response().isSuccess());
            }
        }
    }

    @Test
    void aCallThatGetsItsPermitInTimeRunsWithWhatIsLeft() throws Exception {
        BoundTool left = BoundTool.named("left").maxParallel(1).deadline(Duration.ofHours(2)).body((arguments, context) -> {
            running.countDown();
            Hang.await(letGo);
            return context.remaining().orElseThrow();
        });
        try (ToolExecutor executor = ToolExecutor.builder().tools(left, fine).build()) {
            var both = executor.runAsync(
                    ToolRequest.of(call("left"), call("left"), call("fine")), BatchOptions.inParallel(2));
            Hang.await(running);
            letGo.countDown();
            List<CallRecord> records = both.get(Hang.LIMIT_SECONDS, TimeUnit.SECONDS).records();
            Duration first = (Duration) records.get(0).response().unwrap();
            Duration second = (Duration) records.get(1).response().unwrap();
            assertTrue(second.compareTo(Duration.ofHours(1)) > 0 && first.compareTo(Duration.ofHours(1)) > 0);
            assertEquals("ok", records.get(2).response().unwrap());
        }
    }

    /** 8.7: in order nobody is passed by; in parallel, who waits for a permit is. */
    @Test
    void onlyInParallelAreCallsThatWaitPassedBy() throws Exception {
        try (ToolExecutor executor = ToolExecutor.builder().tools(stuck, fine).sink(memory).build()) {
            CompletableFuture<ToolResponse> holder = executor.callAsync("stuck", Map.of());
            Hang.await(running);
            ToolRequest request = new ToolRequest("together", List.of(call("stuck"), call("fine")));
            var together = executor.runAsync(request, BatchOptions.inParallel(2));
            var inOrder = executor.runAsync(
                    new ToolRequest("in order", request.calls()), BatchOptions.DEFAULT);
            Hang.until(() -> told("together").contains("finished 1"), "it is passed by");
            letGo.countDown();
            for (var each : List.of(together, inOrder)) {
                each.get(Hang.LIMIT_SECONDS, TimeUnit.SECONDS).records().forEach(one -> assertTrue(one.response().isSuccess()));
            }
            holder.get(Hang.LIMIT_SECONDS, TimeUnit.SECONDS);
            assertEquals(List.of("started 0", "finished 0", "started 1", "finished 1"), told("in order"));
        }
    }

    private List<String> told(String batch) {
        return memory.executions().stream()
                .filter(event -> batch.equals(event.batch()))
                .map(event -> event.type().wire() + " " + event.position())
                .toList();
    }

    /** What costs the square of the calls, or of the batches, takes hours here. */
    @Test
    @Timeout(Hang.LIMIT_SECONDS)
    void manyCallsOfLimitedToolsTakeNoLongerEach() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        BoundTool one = BoundTool.named("one").maxParallel(1).body((arguments, context) -> runs.incrementAndGet());
        BoundTool two = BoundTool.named("two").maxParallel(2).body((arguments, context) -> runs.incrementAndGet());
        int many = 50_000;
        List<ToolCall> calls = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            calls.add(call(i % 2 == 0 ? "one" : "two"));
        }
        try (ToolExecutor executor = ToolExecutor.of(one, two)) {
            ToolRequest request = new ToolRequest(null, calls);
            for (BatchOptions options : List.of(
                    BatchOptions.DEFAULT.withCallDeadline(Duration.ofHours(1)),
                    BatchOptions.inParallel(8).withDeadline(Duration.ofHours(1)),
                    BatchOptions.inParallel(many).withCallDeadline(Duration.ofHours(1)))) {
                assertEquals(many, executor.run(request, options).records().size());
            }
            List<CompletableFuture<ToolResponse>> alone = new ArrayList<>();
            calls.forEach(each -> alone.add(executor.callAsync(each, null)));
            for (CompletableFuture<ToolResponse> each : alone) {
                assertTrue(each.get(Hang.LIMIT_SECONDS, TimeUnit.SECONDS).isSuccess());
            }
        }
        assertEquals(4 * many, runs.get());
    }
}
