// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.cases;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.contract.CallRecord;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.ExecutionEvent;
import dev.isonomy.contract.ToolCall;
import dev.isonomy.contract.ToolRequest;
import dev.isonomy.observe.MemorySink;
import dev.isonomy.runtime.BatchOptions;
import dev.isonomy.runtime.ToolExecutor;
import dev.isonomy.tools.BoundTool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** H: nobody waits longer than they said, and a cancellation is no outcome. */
final class CancellingCasesTest {

    private final List<Object> ran = Collections.synchronizedList(new ArrayList<>());
    private final MemorySink memory = new MemorySink();

    private static List<ToolCall> three() {
        return List.of(
                Running.call("work", Map.of("n", 1)), Running.call("work", Map.of("n", 2)),
                Running.call("work", Map.of("n", 3)));
    }

    private void assertOneCancelled() {
        assertEquals(List.of(1L), ran);
        assertEquals(
                List.of(ExecutionEvent.Type.STARTED, ExecutionEvent.Type.CANCELLED),
                memory.executions().stream().map(ExecutionEvent::type).toList());
        assertTrue(memory.responses().isEmpty());
    }

    /** H2: the answer comes at the deadline, though the body blocks for good and its pool with it. */
    @Test
    void h2TheCallerReturnsAtTheDeadline() throws InterruptedException {
        CountDownLatch release = new CountDownLatch(1);
        BoundTool stuck = BoundTool.named("stuck").body((arguments, context) -> {
            while (release.getCount() > 0) {
                Thread.onSpinWait();
                Thread.interrupted();
            }
            return "late";
        });
        try (ToolExecutor executor =
                ToolExecutor.builder().tools(stuck).maxThreads(1).build()) {
            long began = System.nanoTime();
            BatchOptions options = BatchOptions.inParallel(2).withCallDeadline(Duration.ofMillis(300));
            List<ToolCall> calls = Collections.nCopies(2, Running.call("stuck", null));
            List<CallRecord> records = executor.run(new ToolRequest(null, calls), options).records();
            assertTrue(System.nanoTime() - began < TimeUnit.SECONDS.toNanos(Running.LIMIT_SECONDS));
            assertEquals(ErrorKind.TIMEOUT, records.get(0).response().error().kind());
            assertEquals(ErrorKind.NOT_RUN, records.get(1).response().error().kind());
        } finally {
            release.countDown();
        }
    }

    static final class Stop extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    @ParameterizedTest
    @MethodSource("dev.isonomy.cases.Running#ways")
    void h4ASignalOfAnOrdinaryClassStartsNothingMore(Running way) throws Exception {
        BoundTool work = BoundTool.named("work").body((arguments, context) -> {
            ran.add(arguments.get("n"));
            throw new Stop();
        });
        BatchOptions one = way.options().callDeadline() == null
                ? BatchOptions.DEFAULT
                : BatchOptions.DEFAULT.withCallDeadline(way.options().callDeadline());
        try (ToolExecutor executor =
                ToolExecutor.builder().tools(work).sink(memory).controlSignal(Stop.class).build()) {
            Throwable seen = assertThrows(Exception.class, () -> way.run(executor, three(), one));
            assertInstanceOf(Stop.class, seen instanceof ExecutionException ? seen.getCause() : seen);
        }
        assertOneCancelled();
    }

    @Test
    void h4AnInterruptedCallerStartsNothingMore() throws Exception {
        for (BatchOptions options : List.of(
                BatchOptions.DEFAULT,
                BatchOptions.DEFAULT.withCallDeadline(Duration.ofSeconds(Running.LIMIT_SECONDS)))) {
            ran.clear();
            memory.clear();
            CountDownLatch inside = new CountDownLatch(1);
            BoundTool work = BoundTool.named("work").body((arguments, context) -> {
                ran.add(arguments.get("n"));
                inside.countDown();
                new CountDownLatch(1).await();
                return null;
            });
            try (ToolExecutor executor = ToolExecutor.builder().tools(work).sink(memory).build()) {
                CompletableFuture<Throwable> seen = new CompletableFuture<>();
                Thread caller = new Thread(() -> {
                    try {
                        seen.complete(new AssertionError(executor.run(new ToolRequest(null, three()), options)));
                    } catch (Throwable thrown) {
                        seen.complete(thrown);
                    }
                });
                caller.start();
                Running.await(inside);
                caller.interrupt();
                assertInstanceOf(InterruptedException.class, seen.get(Running.LIMIT_SECONDS, TimeUnit.SECONDS));
            }
            assertOneCancelled();
        }
    }
}
