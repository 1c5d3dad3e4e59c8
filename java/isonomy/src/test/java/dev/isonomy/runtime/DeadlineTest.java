// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.contract.CallRecord;
import dev.isonomy.contract.Effect;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Execution;
import dev.isonomy.contract.ToolCall;
import dev.isonomy.contract.ToolRequest;
import dev.isonomy.contract.ToolResponse;
import dev.isonomy.observe.Metrics;
import dev.isonomy.tools.BoundTool;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Deadlines (clause 8.8). */
final class DeadlineTest {

    private static final Duration SHORT = Duration.ofMillis(30);

    /** A body that does not heed its interruption until it is let go. */
    private static BoundTool deaf(CountDownLatch letGo) {
        return BoundTool.named("deaf").body((arguments, context) -> {
            boolean waiting = true;
            while (waiting) {
                try {
                    Hang.await(letGo);
                    waiting = false;
                } catch (InterruptedException ignored) {
                    // this is what it is here for
                }
            }
            return "late";
        });
    }

    /** H1 and H2: the caller gets its answer at the deadline, threads are bounded, late results are counted. */
    @Test
    void fiftyBodiesThatRunOn() throws InterruptedException {
        CountDownLatch letGo = new CountDownLatch(1);
        Metrics metrics = new Metrics();
        ToolExecutor executor =
                ToolExecutor.builder().tools(deaf(letGo)).sink(metrics).maxThreads(50).build();
        try (executor) {
            List<ToolCall> calls = Collections.nCopies(50, new ToolCall(null, "deaf", null));
            BatchOptions options = BatchOptions.inParallel(50).withCallDeadline(Duration.ofMillis(500));
            for (CallRecord each : executor.run(new ToolRequest(null, calls), options).records()) {
                assertEquals(ErrorKind.TIMEOUT, each.response().error().kind());
                assertEquals(Effect.POSSIBLE, each.response().error().effect());
                assertEquals("the deadline passed while the tool ran", each.response().error().message());
            }
            assertEquals(0, metrics.snapshot().inFlight());
            assertEquals(0, metrics.snapshot().lateResults());
            letGo.countDown();
            Hang.until(() -> metrics.snapshot().lateResults() == 50, "late results are counted");
            assertEquals(50, metrics.snapshot().failed("deaf"));
            assertEquals(0, metrics.snapshot().succeeded("deaf"));
        }
    }

    @Test
    void aCallThatGetsNoThreadByItsDeadlineIsNotRun() throws InterruptedException {
        CountDownLatch letGo = new CountDownLatch(1);
        AtomicInteger runs = new AtomicInteger();
        BoundTool counting = BoundTool.named("counting").body((arguments, context) -> runs.incrementAndGet());
        try (ToolExecutor executor =
                ToolExecutor.builder().tools(deaf(letGo), counting).maxThreads(1).build()) {
            assertEquals(ErrorKind.TIMEOUT, executor.call(new ToolCall(null, "deaf", null), SHORT).error().kind());
            ToolRequest request = ToolRequest.of(new ToolCall(null, "counting", null));
            CallRecord starved = executor.run(request, BatchOptions.DEFAULT.withCallDeadline(SHORT)).records().get(0);
            assertEquals(ErrorKind.NOT_RUN, starved.response().error().kind());
            assertEquals(Effect.NONE, starved.response().error().effect());
            assertEquals("not started: the deadline passed", starved.response().error().message());
            assertEquals(Execution.NOT_EXECUTED, starved.execution());
            letGo.countDown();
            ToolResponse served = executor.call(new ToolCall(null, "counting", null), Duration.ofSeconds(60));
            assertEquals(1, served.unwrap());
            assertEquals(1, runs.get());
        }
    }

    @Test
    void aBodyIsInterruptedOnceAndToldByItsContext() throws InterruptedException {
        AtomicInteger interrupts = new AtomicInteger();
        CountDownLatch told = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        BoundTool heeding = BoundTool.named("heeding").body((arguments, context) -> {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException interrupted) {
                interrupts.incrementAndGet();
            }
            if (context.cancelled() && context.remaining().orElseThrow().isZero()) {
                told.countDown();
            }
            try {
                release.await();
            } catch (InterruptedException again) {
                interrupts.incrementAndGet();
            }
            return null;
        });
        BoundTool flag = BoundTool.named("flag").body((arguments, context) -> Thread.currentThread().isInterrupted());
        try (ToolExecutor executor = ToolExecutor.builder().tools(heeding, flag).maxThreads(1).build()) {
            assertEquals(ErrorKind.TIMEOUT, executor.call(new ToolCall(null, "heeding", null), SHORT).error().kind());
            Hang.await(told);
            release.countDown();
            // The next body on the same thread starts without an interrupt of its own.
            assertEquals(false, executor.call(new ToolCall(null, "flag", null), Duration.ofSeconds(60)).unwrap());
            assertEquals(1, interrupts.get());
        }
    }

    @Test
    void aStageThatIsLateIsDroppedAndCounted() throws InterruptedException {
        CompletableFuture<Object> stage = new CompletableFuture<>();
        Metrics metrics = new Metrics();
        BoundTool async = BoundTool.named("async").deadline(SHORT).body((arguments, context) -> stage);
        try (ToolExecutor executor = ToolExecutor.builder().tools(async).sink(metrics).build()) {
            assertEquals(ErrorKind.TIMEOUT, executor.call("async", Map.of()).error().kind());
            assertTrue(!stage.isDone(), "a stage that a tool may share is left alone");
            stage.complete("late");
            assertEquals(1, metrics.snapshot().lateResults());
        }
    }

    @Test
    void theShortestDeadlineHolds() throws InterruptedException {
        BoundTool tool = BoundTool.named("tool").deadline(Duration.ofHours(2))
                .body((arguments, context) -> context.remaining().orElseThrow().compareTo(Duration.ofHours(1)));
        try (ToolExecutor executor = ToolExecutor.of(tool)) {
            assertEquals(1, executor.call("tool", Map.of()).unwrap());
            assertEquals(-1, executor.call(new ToolCall(null, "tool", null), Duration.ofMinutes(50)).unwrap());
            ToolRequest one = ToolRequest.of(new ToolCall(null, "tool", null));
            BatchOptions batch = BatchOptions.DEFAULT.withDeadline(Duration.ofMinutes(50));
            assertEquals(-1, executor.run(one, batch).records().get(0).response().unwrap());
            BatchOptions endless = BatchOptions.DEFAULT.withDeadline(Duration.ofSeconds(Long.MAX_VALUE));
            assertEquals(1, executor.run(one, endless).records().get(0).response().unwrap());
        }
    }
}
