// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.contract.CallRecord;
import dev.isonomy.contract.Effect;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Execution;
import dev.isonomy.contract.ExecutionEvent;
import dev.isonomy.contract.ResponseEvent;
import dev.isonomy.contract.ToolCall;
import dev.isonomy.contract.ToolRequest;
import dev.isonomy.contract.ToolResponse;
import dev.isonomy.observe.MemorySink;
import dev.isonomy.observe.Metrics;
import dev.isonomy.tools.BoundTool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.AfterContainer;

/** Any batch, whatever its calls do and whenever it is cut short: one record per call, in order, and balanced events. */
final class BatchPropertyTest {

    private static final ScheduledExecutorService LATER = Executors.newScheduledThreadPool(1);

    @AfterContainer
    static void stopLater() {
        LATER.shutdownNow();
    }

    /** What a call may do; its name is that of its tool. */
    enum Fault {
        OK, FAILS, THROWS, ERROR, OWN_INTERRUPT, SLOW, ASYNC_OK, ASYNC_THROWS, ASYNC_SLOW, NESTED, UNKNOWN, BAD_ARGUMENTS
    }

    private final AtomicInteger bodies = new AtomicInteger();
    private final ToolExecutor[] self = new ToolExecutor[1];

    private BoundTool tool(Fault fault) {
        return BoundTool.named(fault.name())
                .schema(Map.of("type", "object", "properties", Map.of("i", Map.of("type", "integer"))))
                .maxParallel(fault == Fault.SLOW ? 3 : 100)
                .body((arguments, context) -> {
                    bodies.incrementAndGet();
                    try {
                        return body(fault);
                    } finally {
                        bodies.decrementAndGet();
                    }
                });
    }

    private Object body(Fault fault) throws Exception {
        return switch (fault) {
            case FAILS -> ToolResponse.error("declared");
            case THROWS -> throw new IllegalStateException("thrown");
            case ERROR -> throw new StackOverflowError("deep");
            case OWN_INTERRUPT -> throw new InterruptedException("own");
            case SLOW -> {
                Thread.sleep(4);
                yield "slow";
            }
            case ASYNC_OK -> CompletableFuture.completedFuture("async");
            case ASYNC_THROWS -> CompletableFuture.failedFuture(new IllegalStateException("later"));
            case ASYNC_SLOW -> {
                CompletableFuture<Object> stage = new CompletableFuture<>();
                LATER.schedule(() -> stage.complete("later"), 3, TimeUnit.MILLISECONDS);
                yield stage;
            }
            case NESTED -> self[0].call(Fault.OK.name(), Map.of()).unwrap();
            default -> "ok";
        };
    }

    private ToolExecutor executor(MemorySink memory, Metrics metrics, int threads) {
        List<BoundTool> tools = new ArrayList<>();
        for (Fault fault : Fault.values()) {
            if (fault != Fault.UNKNOWN) {
                tools.add(tool(fault));
            }
        }
        self[0] = ToolExecutor.builder().tools(tools).sink(memory).sink(metrics).maxThreads(threads).build();
        return self[0];
    }

    private static ToolRequest request(List<Fault> faults) {
        List<ToolCall> calls = new ArrayList<>();
        for (Fault fault : faults) {
            Object arguments = fault == Fault.BAD_ARGUMENTS ? "{\"i\":" : Map.of("i", calls.size());
            calls.add(new ToolCall(calls.size() % 3 == 0 ? null : "c" + calls.size() % 5, fault.name(), arguments));
        }
        return new ToolRequest("batch", calls);
    }

    @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
    void everyBatchGivesOneRecordPerCall(
            @ForAll("faults") List<Fault> faults,
            @ForAll("options") BatchOptions options,
            @ForAll @IntRange(min = 1, max = 6) int threads,
            @ForAll boolean async)
            throws Exception {
        MemorySink memory = new MemorySink();
        Metrics metrics = new Metrics();
        ToolRequest request = request(faults);
        try (ToolExecutor executor = executor(memory, metrics, threads)) {
            ResponseEvent event = async
                    ? executor.runAsync(request, options).get(Hang.LIMIT_SECONDS, TimeUnit.SECONDS)
                    : executor.run(request, options);
            assertEquals(faults.size(), event.records().size());
            for (int i = 0; i < faults.size(); i++) {
                checkRecord(event.records().get(i), request.calls().get(i), faults.get(i));
            }
            checkEvents(memory, faults.size(), event);
            assertEquals(0, metrics.snapshot().inFlight());
            Hang.until(() -> bodies.get() == 0, "bodies end");
        }
    }

    private static void checkRecord(CallRecord record, ToolCall call, Fault fault) {
        assertEquals(call.tool(), record.tool());
        assertEquals(call.callId(), record.callId());
        ErrorKind kind = record.response().isSuccess() ? null : record.response().error().kind();
        if (kind == ErrorKind.NOT_RUN) {
            assertEquals(Execution.NOT_EXECUTED, record.execution());
            assertEquals(Effect.NONE, record.response().error().effect());
        } else if (kind != ErrorKind.TIMEOUT) {
            assertEquals(expected(fault), kind);
            assertEquals(fault == Fault.UNKNOWN ? Execution.NOT_EXECUTED : Execution.EXECUTED, record.execution());
        }
    }

    private static ErrorKind expected(Fault fault) {
        return switch (fault) {
            case FAILS -> ErrorKind.TOOL_ERROR;
            case THROWS, ERROR, OWN_INTERRUPT, ASYNC_THROWS -> ErrorKind.EXCEPTION;
            case UNKNOWN -> ErrorKind.NOT_FOUND;
            case BAD_ARGUMENTS -> ErrorKind.INVALID_ARGUMENTS;
            default -> null;
        };
    }

    /** Of each call of the batch at most one start, then at most one end; the response event agrees with them. */
    private static void checkEvents(MemorySink memory, int calls, ResponseEvent event) {
        List<ExecutionEvent> told =
                memory.executions().stream().filter(each -> "batch".equals(each.batch())).toList();
        for (int i = 0; i < told.size(); i++) {
            assertEquals(i, told.get(i).seq());
        }
        for (int i = 0; i < calls; i++) {
            int position = i;
            List<ExecutionEvent.Type> steps = told.stream()
                    .filter(each -> each.position() == position)
                    .map(ExecutionEvent::type)
                    .toList();
            if (event == null) {
                assertTrue(
                        steps.isEmpty() || steps.size() == 2 && steps.get(0) == ExecutionEvent.Type.STARTED
                                || steps.equals(List.of(ExecutionEvent.Type.FAILED)),
                        () -> "call " + position + ": " + steps);
                continue;
            }
            CallRecord record = event.records().get(i);
            List<ExecutionEvent.Type> expected = new ArrayList<>();
            if (record.execution() == Execution.EXECUTED) {
                expected.add(ExecutionEvent.Type.STARTED);
            }
            expected.add(record.response().isSuccess() ? ExecutionEvent.Type.FINISHED : ExecutionEvent.Type.FAILED);
            assertEquals(expected, steps, () -> "call " + position);
        }
        List<ResponseEvent> responses =
                memory.responses().stream().filter(each -> "batch".equals(each.id())).toList();
        assertEquals(event == null ? List.of() : List.of(event), responses);
    }

    @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
    void aCancelledBatchLeavesBalancedEventsAndNoWork(
            @ForAll("faults") List<Fault> faults,
            @ForAll("options") BatchOptions options,
            @ForAll @IntRange(max = 4_000) int afterUs,
            @ForAll boolean async)
            throws Exception {
        MemorySink memory = new MemorySink();
        Metrics metrics = new Metrics();
        ToolRequest request = request(faults);
        try (ToolExecutor executor = executor(memory, metrics, 4)) {
            ResponseEvent event = async
                    ? cancelled(executor, request, options, afterUs)
                    : interrupted(executor, request, options, afterUs);
            Hang.until(() -> metrics.snapshot().inFlight() == 0, "nothing is in flight");
            checkEvents(memory, faults.size(), event);
            Hang.until(() -> bodies.get() == 0, "no body goes on");
        }
    }

    /** The answer, or null where the cancellation came first. */
    private static ResponseEvent cancelled(
            ToolExecutor executor, ToolRequest request, BatchOptions options, int afterUs) throws Exception {
        CompletableFuture<ResponseEvent> future = executor.runAsync(request, options);
        TimeUnit.MICROSECONDS.sleep(afterUs);
        if (!future.cancel(true)) {
            return future.get();
        }
        assertThrows(CancellationException.class, future::get);
        return null;
    }

    private static ResponseEvent interrupted(
            ToolExecutor executor, ToolRequest request, BatchOptions options, int afterUs) throws Exception {
        CompletableFuture<ResponseEvent> end = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            try {
                end.complete(executor.run(request, options));
            } catch (InterruptedException cancelled) {
                end.complete(null);
            } catch (Throwable unexpected) {
                end.completeExceptionally(unexpected);
            }
        });
        caller.start();
        TimeUnit.MICROSECONDS.sleep(afterUs);
        caller.interrupt();
        return end.get(Hang.LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    @Provide
    Arbitrary<List<Fault>> faults() {
        return Arbitraries.of(Fault.class).list().ofMaxSize(50);
    }

    @Provide
    Arbitrary<BatchOptions> options() {
        Arbitrary<Duration> deadline =
                Arbitraries.integers().between(1, 40).map(ms -> Duration.ofMillis(ms)).injectNull(0.5);
        return Combinators.combine(
                        Arbitraries.integers().between(1, 8), deadline, deadline, Arbitraries.of(true, false))
                .as(BatchOptions::new);
    }
}
