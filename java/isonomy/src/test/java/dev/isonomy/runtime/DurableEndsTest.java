// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.contract.CallRecord;
import dev.isonomy.contract.Effect;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Event;
import dev.isonomy.contract.Execution;
import dev.isonomy.contract.ExecutionEvent;
import dev.isonomy.contract.Finished;
import dev.isonomy.contract.Journal;
import dev.isonomy.contract.JournalException;
import dev.isonomy.contract.Lease;
import dev.isonomy.contract.LeaseLost;
import dev.isonomy.contract.NotClaimed;
import dev.isonomy.contract.ResponseEvent;
import dev.isonomy.contract.Sink;
import dev.isonomy.contract.SlotKey;
import dev.isonomy.contract.StoredCall;
import dev.isonomy.contract.ToolCall;
import dev.isonomy.contract.ToolError;
import dev.isonomy.contract.ToolRequest;
import dev.isonomy.journal.MemoryJournal;
import dev.isonomy.observe.MemorySink;
import dev.isonomy.tools.BoundTool;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Batches that are kept and do not end as they should: a journal that fails, other owners, deadlines, cancellation. */
@Timeout(120)
final class DurableEndsTest {

    private static final String ALL = "dev.isonomy.runtime.Way#all";
    private static final String IN_ORDER = "dev.isonomy.runtime.Way#inOrder";

    @TempDir
    private Path folder;

    private final Shop shop = new Shop();

    /** A journal in memory whose leases do something before each outcome. */
    private static final class Hooked implements Journal {
        private final MemoryJournal inner = new MemoryJournal();
        private volatile Hook before = finished -> { };
        private volatile boolean lost;

        interface Hook {
            void finish(List<Finished> finished);
        }

        @Override
        public Lease claim(String batchId, int calls, BooleanSupplier waits) throws InterruptedException {
            Lease lease = inner.claim(batchId, calls, waits);
            return new Lease() {
                @Override
                public Iterator<StoredCall> stored() {
                    return lease.stored();
                }

                @Override
                public void reserve(SlotKey slot) {
                    lease.reserve(slot);
                }

                @Override
                public void finish(List<Finished> finished, boolean last) {
                    before.finish(finished);
                    lease.finish(finished, last);
                }

                @Override
                public void release(boolean ended) {
                    lease.release(ended);
                }

                @Override
                public boolean isLost() {
                    return lost;
                }
            };
        }

        @Override
        public String where() {
            return inner.where();
        }

        @Override
        public void close() {
            inner.close();
        }
    }

    private static List<ToolCall> prices(int count) {
        List<ToolCall> calls = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            calls.add(Shop.call("price", "sku", "a" + i));
        }
        return calls;
    }

    private static ToolError error(ResponseEvent event, int position) {
        return event.records().get(position).response().error();
    }

    private static List<Execution> executions(ResponseEvent event) {
        return event.records().stream().map(CallRecord::execution).toList();
    }

    @ParameterizedTest
    @MethodSource(IN_ORDER)
    void aJournalThatFailsAmidABatchLeavesWhatFinished(Way way) throws Exception {
        for (RuntimeException failure : List.of(
                new JournalException("disk full"), new LeaseLost("the batch has another owner"),
                new IllegalStateException("a fault of the journal's own"))) {
            shop.ran.clear();
            AtomicInteger writes = new AtomicInteger();
            MemorySink memory = new MemorySink();
            try (Hooked journal = new Hooked();
                    ToolExecutor executor =
                            ToolExecutor.builder().tools((Object[]) shop.tools()).sink(memory).build()) {
                journal.before = finished -> {
                    if (writes.getAndIncrement() == 2) {
                        throw failure;
                    }
                };
                ResponseEvent event = way.run(executor, "b", prices(5), journal);
                assertEquals(List.of("a0", "a1", "a2"), shop.ran);
                assertEquals(1, memory.responses().size());
                assertTrue(event.records().get(1).response().isSuccess());
                assertEquals(List.of(ErrorKind.INTERNAL, Effect.POSSIBLE), List.of(error(event, 2).kind(), error(event, 2).effect()));
                assertEquals(
                        "the outcome could not be written to the journal: " + failure.getMessage(),
                        error(event, 2).message());
                for (int i = 3; i < 5; i++) {
                    assertEquals("not started: the journal failed", error(event, i).message());
                    assertEquals(List.of(ErrorKind.NOT_RUN, Effect.NONE), List.of(error(event, i).kind(), error(event, i).effect()));
                }
                ResponseEvent again = way.run(executor, "b", prices(5), journal);
                assertEquals(
                        List.of(
                                Execution.REUSED, Execution.REUSED, Execution.EXECUTED, Execution.EXECUTED,
                                Execution.EXECUTED),
                        executions(again));
            }
            assertEquals(List.of("a0", "a1", "a2", "a2", "a3", "a4"), shop.ran);
        }
    }

    @ParameterizedTest
    @MethodSource(IN_ORDER)
    void whoNoticesThatItsLeaseIsLostStartsNothingMore(Way way) throws Exception {
        try (Hooked journal = new Hooked(); ToolExecutor executor = ToolExecutor.of((Object[]) shop.tools())) {
            journal.before = finished -> journal.lost = true;
            ResponseEvent event = way.run(executor, "b", prices(3), journal);
            assertTrue(event.records().get(0).response().isSuccess());
            assertEquals("not started: the journal failed", error(event, 1).message());
        }
        assertEquals(List.of("a0"), shop.ran);
    }

    @ParameterizedTest
    @MethodSource(ALL)
    void anOutcomeIsWrittenBeforeItsEndIsTold(Way way) throws Exception {
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        try (Hooked journal = new Hooked();
                ToolExecutor executor = ToolExecutor.builder()
                        .tools((Object[]) shop.tools())
                        .sink(new Sink() {
                            @Override
                            public void emit(Event event) {
                                if (event instanceof ExecutionEvent told) {
                                    order.add(told.type().wire() + told.position());
                                }
                            }

                            @Override
                            public boolean direct() {
                                return true;
                            }
                        })
                        .build()) {
            journal.before = finished -> order.add("written" + finished.get(0).slot().position());
            way.run(executor, "b", prices(4), journal);
        }
        for (int i = 0; i < 4; i++) {
            assertTrue(order.indexOf("started" + i) < order.indexOf("written" + i), order::toString);
            assertTrue(order.indexOf("written" + i) < order.indexOf("finished" + i), order::toString);
            if (way.options().parallel() == 1 && i > 0) {
                assertTrue(order.indexOf("finished" + (i - 1)) < order.indexOf("started" + i), order::toString);
            }
        }
    }

    /** Two calls end at once: the lease must not be given back with one while the other is being written. */
    @Test
    void theLeaseIsHeldWhileAnotherCallIsBeingWritten() throws Exception {
        CountDownLatch firstWrites = new CountDownLatch(1);
        CountDownLatch secondIsWritten = new CountDownLatch(1);
        BoundTool after = BoundTool.named("after").body((arguments, context) -> {
            Hang.await(firstWrites);
            return "after";
        });
        BoundTool first = BoundTool.named("first").body((arguments, context) -> "first");
        MemorySink memory = new MemorySink();
        try (Hooked journal = new Hooked();
                ToolExecutor executor = ToolExecutor.builder().tools(first, after).sink(memory).build()) {
            journal.before = finished -> {
                if (finished.get(0).slot().tool().equals("first")) {
                    firstWrites.countDown();
                    assertTrue(awaits(secondIsWritten));
                }
            };
            CompletableFuture<ResponseEvent> running = executor.runAsync(
                    new ToolRequest("b", List.of(Shop.call("first"), Shop.call("after"))),
                    BatchOptions.inParallel(2).withJournal(journal));
            Hang.await(firstWrites);
            Hang.until(
                    () -> memory.executions().stream().anyMatch(told -> told.type() == ExecutionEvent.Type.FINISHED),
                    "the second call has no end");
            assertThrows(NotClaimed.class, () -> journal.claim("b", 2, () -> false));
            secondIsWritten.countDown();
            ResponseEvent event = running.get(Hang.LIMIT_SECONDS, TimeUnit.SECONDS);
            assertTrue(event.records().stream().allMatch(each -> each.response().isSuccess()));
            Iterator<StoredCall> stored = journal.claim("b", 2, () -> false).stored();
            stored.next();
            stored.next();
        }
    }

    private static boolean awaits(CountDownLatch latch) {
        try {
            return latch.await(Hang.LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException stray) {
            return false;
        }
    }

    @Test
    void theThreadThatEndsAStageDoesNotWriteItsOutcome() throws Exception {
        List<Thread> wrote = Collections.synchronizedList(new ArrayList<>());
        ExecutorService loop = Executors.newSingleThreadExecutor();
        CompletableFuture<Thread> ends = CompletableFuture.supplyAsync(Thread::currentThread, loop);
        CountDownLatch started = new CountDownLatch(3);
        BoundTool stage = BoundTool.named("stage").body((arguments, context) -> {
            started.countDown();
            return CompletableFuture.supplyAsync(() -> awaits(started), loop);
        });
        try (Hooked journal = new Hooked(); ToolExecutor executor = ToolExecutor.of(stage)) {
            journal.before = finished -> wrote.add(Thread.currentThread());
            ResponseEvent event = executor.run(
                    new ToolRequest("b", List.of(Shop.call("stage"), Shop.call("stage"), Shop.call("stage"))),
                    BatchOptions.inParallel(3).withJournal(journal));
            assertTrue(event.records().stream().allMatch(each -> Boolean.TRUE.equals(each.response().unwrap())));
        } finally {
            loop.shutdownNow();
        }
        assertEquals(3, wrote.size());
        assertFalse(wrote.contains(ends.get()));
    }

    // Waiting for another owner -------------------------------------------------------------------

    @ParameterizedTest
    @MethodSource(ALL)
    void aSecondHostWaitsAndReuses(Way way) throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        BoundTool slow = BoundTool.named("slow").body((arguments, context) -> {
            shop.ran.add("slow");
            inside.countDown();
            Hang.await(goOn);
            return "done";
        });
        List<ToolCall> calls = List.of(Shop.call("slow"));
        try (Journal journal = way.journal(folder);
                ToolExecutor one = ToolExecutor.of(slow);
                ToolExecutor other = ToolExecutor.of(slow)) {
            CompletableFuture<ResponseEvent> first = CompletableFuture.supplyAsync(() -> {
                try {
                    return way.run(one, "b", calls, journal);
                } catch (Exception failed) {
                    throw new AssertionError(failed);
                }
            });
            Hang.await(inside);
            ResponseEvent late = way.run(
                    other, "b", calls, way.options().withDeadline(Duration.ofMillis(200)).withJournal(journal));
            assertEquals("not started: the deadline passed", error(late, 0).message());
            goOn.countDown();
            ResponseEvent second = way.run(other, "b", calls, journal);
            assertEquals(List.of(Execution.REUSED), executions(second));
            assertEquals(
                    first.get(Hang.LIMIT_SECONDS, TimeUnit.SECONDS).records().get(0).response(),
                    second.records().get(0).response());
        }
        assertEquals(List.of("slow"), shop.ran);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoIsCancelledWhileItWaitsTakesNoBatch(boolean blocking) throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        ToolRequest request = new ToolRequest("b", List.of(Shop.call("count")));
        try (MemoryJournal journal = new MemoryJournal();
                ToolExecutor executor = ToolExecutor.of((Object[]) shop.tools())) {
            Lease lease = journal.claim("b", 1, () -> true);
            BatchOptions options = BatchOptions.DEFAULT.withJournal(asking(journal, asked));
            if (blocking) {
                CompletableFuture<Throwable> seen = new CompletableFuture<>();
                Thread caller = new Thread(() -> seen.complete(
                        assertThrows(InterruptedException.class, () -> executor.run(request, options))));
                caller.start();
                Hang.await(asked);
                caller.interrupt();
                seen.get(Hang.LIMIT_SECONDS, TimeUnit.SECONDS);
            } else {
                CompletableFuture<ResponseEvent> running = executor.runAsync(request, options);
                Hang.await(asked);
                assertTrue(running.cancel(true));
            }
            lease.release(false);
            ResponseEvent event = executor.run(request, BatchOptions.DEFAULT.withJournal(journal));
            assertEquals(1L, event.records().get(0).response().unwrap());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void closeEndsTheWait(boolean inOrder) throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        try (MemoryJournal journal = new MemoryJournal()) {
            journal.claim("b", 1, () -> true);
            ToolExecutor executor = ToolExecutor.of((Object[]) shop.tools());
            BatchOptions options = (inOrder ? BatchOptions.DEFAULT : BatchOptions.DEFAULT.withDeadline(Duration.ofMinutes(1)))
                    .withJournal(asking(journal, asked));
            CompletableFuture<Throwable> seen = new CompletableFuture<>();
            new Thread(() -> seen.complete(assertThrows(
                            ExecutorClosed.class,
                            () -> executor.run(new ToolRequest("b", List.of(Shop.call("count"))), options))))
                    .start();
            Hang.await(asked);
            executor.close();
            seen.get(Hang.LIMIT_SECONDS, TimeUnit.SECONDS);
        }
        assertEquals(0, shop.number.get());
    }

    private static Journal asking(MemoryJournal journal, CountDownLatch asked) {
        return new Journal() {
            @Override
            public Lease claim(String batchId, int calls, BooleanSupplier waits) throws InterruptedException {
                return journal.claim(batchId, calls, () -> {
                    asked.countDown();
                    return waits.getAsBoolean();
                });
            }

            @Override
            public String where() {
                return journal.where();
            }

            @Override
            public void close() {
                journal.close();
            }
        };
    }

    // Deadlines, cancellation, control signals ----------------------------------------------------

    @ParameterizedTest
    @MethodSource(ALL)
    void aTimeoutIsKept(Way way) throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        AtomicInteger ran = new AtomicInteger();
        BoundTool slow = BoundTool.named("slow").body((arguments, context) -> {
            ran.incrementAndGet();
            over.await();
            return 1;
        });
        BatchOptions options = way.options().deadline() == null
                ? way.options().withCallDeadline(Duration.ofMillis(100))
                : way.options().withDeadline(Duration.ofMillis(100));
        try (Journal journal = way.journal(folder); ToolExecutor executor = ToolExecutor.of(slow)) {
            for (Execution execution : List.of(Execution.EXECUTED, Execution.REUSED)) {
                ResponseEvent event = way.run(executor, "b", List.of(Shop.call("slow")), options.withJournal(journal));
                assertEquals(ErrorKind.TIMEOUT, error(event, 0).kind());
                assertEquals(List.of(execution), executions(event));
            }
            over.countDown();
        }
        assertEquals(1, ran.get());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aCancelledBatchKeepsWhatFinished(int parallel) throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        AtomicInteger slowRan = new AtomicInteger();
        CountDownLatch quickWritten = new CountDownLatch(1);
        BoundTool quick = BoundTool.named("quick").body((arguments, context) -> shop.ran.add("quick"));
        BoundTool slow = BoundTool.named("slow").body((arguments, context) -> {
            if (slowRan.incrementAndGet() == 1) {
                inside.countDown();
                new CountDownLatch(1).await();
            }
            return "slow";
        });
        ToolRequest request = new ToolRequest("b", List.of(Shop.call("quick"), Shop.call("slow")));
        try (Hooked journal = new Hooked(); ToolExecutor executor = ToolExecutor.of(quick, slow)) {
            journal.before = finished -> quickWritten.countDown();
            BatchOptions options = BatchOptions.inParallel(parallel).withJournal(journal);
            CompletableFuture<ResponseEvent> running = executor.runAsync(request, options);
            Hang.await(inside);
            Hang.await(quickWritten);
            assertTrue(running.cancel(true));
            ResponseEvent event = executor.run(request, options);
            assertEquals(List.of(Execution.REUSED, Execution.EXECUTED), executions(event));
        }
        assertEquals(List.of("quick"), shop.ran);
        assertEquals(2, slowRan.get());
    }

    @ParameterizedTest
    @MethodSource(ALL)
    void aControlSignalStoresNothingOfItsCall(Way way) throws Exception {
        final class Approval extends RuntimeException {
            private static final long serialVersionUID = 1L;
        }
        BoundTool asks = BoundTool.named("asks").body((arguments, context) -> {
            throw new Approval();
        });
        try (Journal journal = way.journal(folder);
                ToolExecutor executor =
                        ToolExecutor.builder().tools(asks).controlSignal(Approval.class).build()) {
            assertThrows(Approval.class, () -> way.run(executor, "b", List.of(Shop.call("asks")), journal));
            assertFalse(journal.claim("b", 1, () -> false).stored().hasNext());
        }
    }

    @Test
    void aJournalThatCannotBeUsedIsAnErrorOfItsOwn() throws Exception {
        MemoryJournal journal = new MemoryJournal();
        journal.close();
        MemorySink memory = new MemorySink();
        ToolRequest request = new ToolRequest("b", List.of(Shop.call("count")));
        try (ToolExecutor executor =
                ToolExecutor.builder().tools((Object[]) shop.tools()).sink(memory).build()) {
            BatchOptions options = BatchOptions.DEFAULT.withJournal(journal);
            assertThrows(JournalException.class, () -> executor.run(request, options));
            ExecutionException failed = assertThrows(
                    ExecutionException.class,
                    () -> executor.runAsync(request, options).get(Hang.LIMIT_SECONDS, TimeUnit.SECONDS));
            assertEquals("the journal in memory is closed", failed.getCause().getMessage());
        }
        assertEquals(List.of(), memory.events());
        assertEquals(0, shop.number.get());
    }
}
