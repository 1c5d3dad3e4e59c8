// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
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
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** The caller's cancellation, control signals, and the interrupts of bodies themselves (clauses 8.9 to 8.11). */
final class CancellationTest {

    private final MemorySink memory = new MemorySink();
    private final Metrics metrics = new Metrics();
    private volatile CountDownLatch running = new CountDownLatch(1);

    private final BoundTool waits = BoundTool.named("waits").body((arguments, context) -> {
        running.countDown();
        new CountDownLatch(1).await();
        return null;
    });
    private final BoundTool fine = BoundTool.named("fine").body((arguments, context) -> "ok");

    private static ToolCall call(String tool) {
        return new ToolCall(null, tool, null);
    }

    /** Waits without anything that an interrupt would end. */
    private static void spin(BooleanSupplier reached) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Hang.LIMIT_SECONDS);
        while (!reached.getAsBoolean()) {
            assertTrue(System.nanoTime() - end < 0, "it hangs");
            Thread.onSpinWait();
        }
    }

    private ToolExecutorBuilder builder(Object... tools) {
        return ToolExecutor.builder().tools(tools).sink(memory).sink(metrics);
    }

    /** Interrupts a caller once a body runs, and gives what the caller sees. */
    private Throwable interrupted(ToolExecutor executor, ToolRequest request, BatchOptions options) throws Exception {
        CompletableFuture<Throwable> seen = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            try {
                seen.complete(new AssertionError("answered " + executor.run(request, options)));
            } catch (Throwable thrown) {
                seen.complete(thrown);
            }
        });
        caller.start();
        Hang.await(running);
        caller.interrupt();
        return seen.get(Hang.LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void interruptingTheCallerEndsTheBatch() throws Exception {
        for (BatchOptions options : List.of(
                BatchOptions.DEFAULT,
                BatchOptions.inParallel(1).withCallDeadline(Duration.ofSeconds(60)))) {
            memory.clear();
            running = new CountDownLatch(1);
            try (ToolExecutor executor = builder(waits, fine).build()) {
                ToolRequest request = ToolRequest.of(call("fine"), call("waits"), call("fine"));
                assertInstanceOf(InterruptedException.class, interrupted(executor, request, options));
            }
            assertEquals(List.of("started 0", "finished 0", "started 1", "cancelled 1 cancelled"), Told.of(memory));
            assertTrue(memory.responses().isEmpty());
            assertEquals(0, metrics.snapshot().inFlight());
        }
    }

    @Test
    void aCallerThatIsInterruptedBeforehandStartsNothing() {
        try (ToolExecutor executor = builder(fine).build()) {
            for (BatchOptions options : List.of(BatchOptions.DEFAULT, BatchOptions.inParallel(2))) {
                Thread.currentThread().interrupt();
                assertThrows(
                        InterruptedException.class,
                        () -> executor.run(ToolRequest.of(call("fine"), call("fine")), options));
                assertFalse(Thread.interrupted(), "an InterruptedException takes the flag with it");
            }
            assertTrue(memory.events().isEmpty());
        }
    }

    @Test
    void aBodysOwnInterruptedExceptionIsItsFailure() throws Exception {
        BoundTool own = BoundTool.named("own").body((arguments, context) -> {
            throw new InterruptedException("mine");
        });
        try (ToolExecutor executor = builder(own, fine).build()) {
            ToolRequest request = ToolRequest.of(call("own"), call("fine"));
            for (BatchOptions options : List.of(BatchOptions.DEFAULT, BatchOptions.inParallel(2))) {
                var done = executor.run(request, options).records();
                assertEquals("mine", done.get(0).response().error().message());
                assertTrue(done.get(1).response().isSuccess());
            }
        }
    }

    /** How a call on a thread of its own ended: what it returned or threw, and whether its thread was interrupted. */
    private record End(ResponseEvent event, Throwable thrown, boolean interrupted) {}

    /** Runs a batch in order on a thread of its own, which is interrupted once {@code when} has come. */
    private static End interruptedOnce(CountDownLatch when, ToolExecutor executor, ToolCall... calls) throws Exception {
        CompletableFuture<End> end = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            ResponseEvent event = null;
            Throwable thrown = null;
            try {
                event = executor.run(ToolRequest.of(calls));
            } catch (Throwable early) {
                thrown = early;
            }
            end.complete(new End(event, thrown, Thread.currentThread().isInterrupted()));
        });
        caller.start();
        if (when != null) {
            Hang.await(when);
            caller.interrupt();
        }
        return end.get(Hang.LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    private void assertKeptAndStopped(End end, Object result) {
        assertNull(end.thrown);
        assertTrue(end.interrupted, "the interrupt is the caller's to see");
        assertEquals(result, end.event.records().get(0).response().unwrap());
        CallRecord next = end.event.records().get(1);
        assertEquals(Execution.NOT_EXECUTED, next.execution());
        assertEquals(ErrorKind.NOT_RUN, next.response().error().kind());
        assertEquals(Effect.NONE, next.response().error().effect());
        assertEquals("not started: the caller's thread is interrupted", next.response().error().message());
        assertEquals(List.of("started 0", "finished 0", "failed 1 not_run"), Told.of(memory));
        assertEquals(List.of(end.event), memory.responses());
    }

    /** 8.9: whoever set the status, what a body returned is kept, nothing more starts, and the status stays. */
    @Test
    void aBodyThatFinishesDespiteTheInterruptKeepsItsResponse() throws Exception {
        BoundTool stubborn = BoundTool.named("stubborn").body((arguments, context) -> {
            running.countDown();
            spin(() -> Thread.currentThread().isInterrupted());
            return "done";
        });
        BoundTool restores = BoundTool.named("restores").body((arguments, context) -> {
            running.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
            return "done";
        });
        for (BoundTool tool : List.of(stubborn, restores)) {
            memory.clear();
            running = new CountDownLatch(1);
            try (ToolExecutor executor = builder(tool, fine).build()) {
                assertKeptAndStopped(
                        interruptedOnce(running, executor, call(tool.spec().name()), call("fine")), "done");
            }
        }
    }

    @Test
    void aBodyThatInterruptsItsOwnThreadLosesNothing() throws Exception {
        BoundTool leaves = BoundTool.named("leaves").body((arguments, context) -> {
            try {
                throw new InterruptedException("from elsewhere");
            } catch (InterruptedException caught) {
                Thread.currentThread().interrupt();
            }
            return "done";
        });
        BoundTool stage = BoundTool.named("stage").body((arguments, context) -> {
            Thread.currentThread().interrupt();
            return CompletableFuture.completedFuture("done");
        });
        BoundTool fails = BoundTool.named("fails").body((arguments, context) -> {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("gave up");
        });
        try (ToolExecutor executor = builder(leaves, stage, fails, fine).build()) {
            assertKeptAndStopped(interruptedOnce(null, executor, call("leaves"), call("fine")), "done");
            memory.clear();
            assertKeptAndStopped(interruptedOnce(null, executor, call("stage"), call("gone")), "done");
            End failed = interruptedOnce(null, executor, call("fails"));
            assertEquals("gave up", failed.event.records().get(0).response().error().message());
            assertTrue(failed.interrupted);
            for (int i = 0; i < 2; i++) { // a call alone
                assertEquals("done", executor.call("leaves", Map.of()).unwrap());
                assertTrue(Thread.interrupted());
            }
            // On threads of the executor a body's own interrupt is nobody else's business.
            for (BatchOptions options : List.of(
                    BatchOptions.inParallel(2), BatchOptions.DEFAULT.withCallDeadline(Duration.ofSeconds(60)))) {
                ResponseEvent event = executor.run(ToolRequest.of(call("leaves"), call("fine")), options);
                event.records().forEach(each -> assertTrue(each.response().isSuccess()));
                assertFalse(Thread.interrupted());
            }
        }
    }

    @Test
    void whatStoppedABatchComesFirst() throws Exception {
        BoundTool fails = BoundTool.named("fails").body((arguments, context) -> {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("gave up");
        });
        try (ToolExecutor executor = builder(fails, fine).build()) {
            ResponseEvent event =
                    executor.run(ToolRequest.of(call("fails"), call("fine")), BatchOptions.DEFAULT.withFailFast());
            assertTrue(Thread.interrupted());
            assertEquals(
                    "not started: an earlier call failed", event.records().get(1).response().error().message());
        }
    }

    @Test
    void aBodyThatAsksItsContextMayClearTheFlagOrThrow() throws Exception {
        for (boolean thrown : new boolean[] {true, false}) {
            memory.clear();
            CountDownLatch started = new CountDownLatch(1);
            BoundTool polite = BoundTool.named("polite").body((arguments, context) -> {
                started.countDown();
                spin(context::cancelled);
                assertTrue(Thread.interrupted());
                if (thrown) {
                    throw new InterruptedException("asked and told");
                }
                return "partial";
            });
            try (ToolExecutor executor = builder(polite, fine).build()) {
                End end = interruptedOnce(started, executor, call("polite"), call("fine"));
                if (thrown) {
                    assertInstanceOf(InterruptedException.class, end.thrown);
                    assertEquals(List.of("started 0", "cancelled 0 cancelled"), Told.of(memory));
                } else {
                    assertKeptAndStopped(end, "partial");
                }
            }
        }
    }

    @Test
    void aCallerThatWaitsForAPermitOrAStageCanBeInterrupted() throws Exception {
        BoundTool limited = BoundTool.named("limited").maxParallel(1).body((arguments, context) -> {
            running.countDown();
            new CountDownLatch(1).await();
            return null;
        });
        BoundTool stage = BoundTool.named("stage").body((arguments, context) -> {
            running.countDown();
            return new CompletableFuture<>();
        });
        try (ToolExecutor executor = builder(limited, stage).build()) {
            CompletableFuture<ToolResponse> holder = executor.callAsync("limited", Map.of());
            ToolRequest request = ToolRequest.of(call("limited"));
            Hang.await(running);
            assertInstanceOf(InterruptedException.class, interrupted(executor, request, BatchOptions.DEFAULT));
            running = new CountDownLatch(1);
            assertInstanceOf(
                    InterruptedException.class,
                    interrupted(executor, ToolRequest.of(call("stage")), BatchOptions.DEFAULT));
            assertTrue(holder.cancel(false));
        }
        assertEquals(0, metrics.snapshot().inFlight());
        assertEquals(2, metrics.snapshot().cancelled());
    }

    @Test
    void cancellingAFutureCancelsItsBatch() throws Exception {
        CountDownLatch ended = new CountDownLatch(2);
        CountDownLatch both = new CountDownLatch(2);
        BoundTool told = BoundTool.named("told").body((arguments, context) -> {
            both.countDown();
            try {
                new CountDownLatch(1).await();
            } finally {
                if (context.cancelled()) {
                    ended.countDown();
                }
            }
            return null;
        });
        try (ToolExecutor executor = builder(told, fine).build()) {
            var future = executor.runAsync(
                    ToolRequest.of(call("told"), call("told"), call("fine")), BatchOptions.inParallel(2));
            Hang.await(both);
            assertTrue(future.cancel(true));
            assertThrows(CancellationException.class, future::get);
            Hang.await(ended);
            Hang.until(() -> metrics.snapshot().inFlight() == 0, "nothing is in flight");
            assertEquals(2, metrics.snapshot().cancelled());
            assertTrue(memory.responses().isEmpty());
            assertEquals("ok", executor.call("fine", Map.of()).unwrap());
        }
    }

    static final class Approval extends Exception {
        private static final long serialVersionUID = 1L;
    }

    /** 8.10: a control signal leaves the batch as it was thrown. */
    @Test
    void controlSignalsPropagate() throws Exception {
        Approval signal = new Approval();
        BoundTool asks = BoundTool.named("asks").body((arguments, context) -> {
            throw signal;
        });
        BoundTool asksLater = BoundTool.named("later").body((arguments, context) -> CompletableFuture.failedFuture(signal));
        try (ToolExecutor executor = builder(asks, asksLater, fine).controlSignal(Approval.class).build()) {
            for (String tool : List.of("asks", "later")) {
                memory.clear();
                ToolRequest request = ToolRequest.of(call(tool), call("fine"));
                assertSame(signal, assertThrows(Approval.class, () -> executor.run(request)));
                assertEquals(List.of("started 0", "cancelled 0 suspended"), Told.of(memory));
                ExecutionException failed = assertThrows(
                        ExecutionException.class, () -> executor.runAsync(request, BatchOptions.DEFAULT).get());
                assertSame(signal, failed.getCause());
                assertTrue(memory.responses().isEmpty());
            }
        }
        try (ToolExecutor executor = builder(asks).build()) {
            assertEquals("exception", executor.call("asks", Map.of()).error().kind().wire(), "it is registered only above");
        }
    }

    @Test
    void aControlSignalCancelsTheSiblingsThatRun() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        BoundTool asks = BoundTool.named("asks").body((arguments, context) -> {
            Hang.await(running);
            throw new Approval();
        });
        try (ToolExecutor executor = builder(asks, waits).controlSignal(Approval.class).build()) {
            assertThrows(
                    Approval.class,
                    () -> executor.run(ToolRequest.of(call("asks"), call("waits")), BatchOptions.inParallel(2)));
            go.countDown();
            assertTrue(Told.of(memory).containsAll(List.of("cancelled 0 suspended", "cancelled 1 cancelled")));
        }
    }
}
