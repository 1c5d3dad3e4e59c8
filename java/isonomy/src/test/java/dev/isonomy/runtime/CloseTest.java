// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.contract.Event;
import dev.isonomy.contract.ToolCall;
import dev.isonomy.contract.ToolRequest;
import dev.isonomy.observe.MemorySink;
import dev.isonomy.tools.BoundTool;
import dev.isonomy.tools.Tool;
import dev.isonomy.tools.ToolRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The end of an executor (clause 8.14). */
final class CloseTest {

    private final MemorySink memory = new MemorySink();

    private final CountDownLatch running = new CountDownLatch(1);
    private final BoundTool waits = BoundTool.named("waits").body((arguments, context) -> {
        running.countDown();
        new CountDownLatch(1).await();
        return null;
    });

    @Test
    void aClosedExecutorRunsNothing() {
        ToolExecutor executor = ToolExecutor.of(waits);
        executor.close();
        executor.close();
        assertThrows(ExecutorClosed.class, () -> executor.call("waits", Map.of()));
        assertThrows(ExecutorClosed.class, () -> executor.callAsync("waits", Map.of()));
    }

    @Test
    void aCallThatIsInFlightEndsAsCancelled() throws Exception {
        for (Duration deadline : new Duration[] {null, Duration.ofSeconds(60)}) {
            MemorySink told = new MemorySink();
            CountDownLatch started = new CountDownLatch(1);
            BoundTool blocks = BoundTool.named("blocks").body((arguments, context) -> {
                started.countDown();
                new CountDownLatch(1).await();
                return null;
            });
            ToolExecutor executor = ToolExecutor.builder().tools(blocks).sink(told).build();
            CompletableFuture<Throwable> seen = new CompletableFuture<>();
            Thread caller = new Thread(() -> {
                try {
                    seen.complete(new AssertionError(executor.call(new ToolCall(null, "blocks", null), deadline)));
                } catch (Throwable thrown) {
                    assertFalse(Thread.interrupted(), "the caller's thread keeps no interrupt");
                    seen.complete(thrown);
                }
            });
            caller.start();
            Hang.await(started);
            executor.close();
            assertInstanceOf(ExecutorClosed.class, seen.get(Hang.LIMIT_SECONDS, TimeUnit.SECONDS));
            assertEquals(List.of("started 0", "cancelled 0 cancelled"), Told.of(told));
            assertTrue(told.responses().isEmpty());
        }
    }

    @Test
    void aFutureEndsToo() throws Exception {
        ToolExecutor executor = ToolExecutor.builder().tools(waits).sink(memory).build();
        var future = executor.runAsync(
                ToolRequest.of(ToolCall.of("waits", Map.of()), ToolCall.of("waits", Map.of())), BatchOptions.DEFAULT);
        Hang.await(running);
        executor.close();
        ExecutionException ended = assertThrows(
                ExecutionException.class, () -> future.get(Hang.LIMIT_SECONDS, TimeUnit.SECONDS));
        assertInstanceOf(ExecutorClosed.class, ended.getCause());
        assertEquals(List.of("started 0", "cancelled 0 cancelled"), Told.of(memory));
    }

    /** Calls that come while it closes are refused or end: none is left behind. */
    @Test
    void closingWhileCallsComeLeavesNobodyWaiting() throws Exception {
        BoundTool fine = BoundTool.named("fine").body((arguments, context) -> 1);
        for (int i = 0; i < 200; i++) {
            ToolExecutor executor = ToolExecutor.of(fine);
            CountDownLatch go = new CountDownLatch(1);
            CompletableFuture<Void> caller = CompletableFuture.runAsync(() -> {
                try {
                    go.await();
                    while (true) {
                        executor.callAsync("fine", Map.of()).get(Hang.LIMIT_SECONDS, TimeUnit.SECONDS);
                        executor.call("fine", Map.of());
                    }
                } catch (ExecutorClosed closed) {
                    assertFalse(Thread.currentThread().isInterrupted());
                } catch (ExecutionException early) {
                    assertInstanceOf(ExecutorClosed.class, early.getCause());
                } catch (InterruptedException | TimeoutException unexpected) {
                    throw new AssertionError(unexpected);
                }
            });
            go.countDown();
            Thread.onSpinWait();
            executor.close();
            caller.get(Hang.LIMIT_SECONDS, TimeUnit.SECONDS);
        }
    }

    @Test
    void closeDoesNotWaitForASinkThatHangs() {
        ToolExecutor executor = ToolExecutor.builder()
                .sink((Event event) -> {
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException asked) {
                        Thread.currentThread().interrupt();
                    }
                })
                .grace(Duration.ofMillis(50))
                .build();
        assertEquals("not_found", assertNothingThrown(executor));
        executor.close();
    }

    private static String assertNothingThrown(ToolExecutor executor) {
        try {
            return executor.call("gone", Map.of()).error().kind().wire();
        } catch (InterruptedException unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    public static final class Opened implements AutoCloseable {
        static final AtomicInteger CLOSED = new AtomicInteger();

        @Tool
        public int zero() {
            return 0;
        }

        @Override
        public void close() {
            CLOSED.incrementAndGet();
            throw new IllegalStateException("even where closing fails");
        }
    }

    @Test
    void whatTheExecutorOpenedItCloses() throws InterruptedException {
        int before = Opened.CLOSED.get();
        try (ToolExecutor executor = ToolExecutor.of(Opened.class)) {
            assertEquals(0, executor.call("zero", Map.of()).unwrap());
        }
        assertEquals(before + 1, Opened.CLOSED.get());
        Opened given = new Opened();
        ToolExecutor.of(given).close();
        ToolRegistry registry = ToolRegistry.of(Opened.class);
        ToolExecutor.builder().registry(registry).build().close();
        assertEquals(before + 1, Opened.CLOSED.get(), "what was given stays open");
        registry.close();
        registry.close();
        assertEquals(before + 2, Opened.CLOSED.get());
    }
}
