// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.cases;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.contract.CallRecord;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Execution;
import dev.isonomy.contract.ExecutionEvent;
import dev.isonomy.contract.Portable;
import dev.isonomy.contract.ToolCall;
import dev.isonomy.contract.ToolResponse;
import dev.isonomy.observe.MemorySink;
import dev.isonomy.observe.Metrics;
import dev.isonomy.runtime.ToolExecutor;
import dev.isonomy.tools.BoundTool;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A and F: a failure is what the tool says is one, in every channel, and is its own call's alone. */
final class OutcomesCasesTest {

    private final MemorySink memory = new MemorySink();
    private final Metrics metrics = new Metrics();

    private List<ExecutionEvent.Type> types() {
        return memory.executions().stream().map(ExecutionEvent::type).toList();
    }

    @ParameterizedTest
    @MethodSource("dev.isonomy.cases.Running#ways")
    void a1AReturnedFailureFailsInEveryChannel(Running way) throws Exception {
        BoundTool tool = BoundTool.named("reserve").body((arguments, context) -> ToolResponse.error("quota exceeded"));
        try (ToolExecutor executor = ToolExecutor.builder().tools(tool).sink(memory).sink(metrics).build()) {
            CallRecord only = way.run(executor, List.of(Running.call("reserve", null))).records().get(0);
            assertEquals(ErrorKind.TOOL_ERROR, only.response().error().kind());
            assertEquals("quota exceeded", only.response().error().message());
        }
        assertEquals(List.of(ExecutionEvent.Type.STARTED, ExecutionEvent.Type.FAILED), types());
        assertEquals(1, metrics.snapshot().failed("reserve"));
        assertEquals(0, metrics.snapshot().succeeded("reserve"));
    }

    @ParameterizedTest
    @MethodSource("dev.isonomy.cases.Running#ways")
    void a2A4A5APayloadIsData(Running way) throws Exception {
        Map<String, Object> none = new HashMap<>();
        none.put("url", "u");
        none.put("error", null);
        List<Object> payloads = List.of(
                Map.of("results", List.of(none)),
                Map.of("summary", "x".repeat(600), "results", List.of(none)),
                Map.of("$iso:bytes", "aGk="),
                Map.of("$iso:map", List.of(), "$iso:opaque", Map.of(), "status", "failure", "outcome", "raised"),
                Map.of("__type__", "bytes", "data", "aGk="),
                "Traceback (most recent call last)\nERROR: failed");
        BoundTool tool = BoundTool.named("look")
                .body((arguments, context) -> payloads.get(((Long) arguments.get("n")).intValue()));
        try (ToolExecutor executor = ToolExecutor.builder().tools(tool).sink(memory).sink(metrics).build()) {
            for (int n = 0; n < payloads.size(); n++) {
                memory.clear();
                ToolResponse response =
                        way.run(executor, List.of(Running.call("look", Map.of("n", n)))).records().get(0).response();
                assertNull(response.error());
                assertSame(payloads.get(n), response.unwrap());
                assertEquals(payloads.get(n), Portable.decode(Portable.encode(response.unwrap())));
                assertEquals(List.of(ExecutionEvent.Type.STARTED, ExecutionEvent.Type.FINISHED), types());
            }
        }
        assertEquals(payloads.size(), metrics.snapshot().succeeded("look"));
        assertEquals(0, metrics.snapshot().failed("look"));
    }

    @ParameterizedTest
    @MethodSource("dev.isonomy.cases.Running#ways")
    void a10NoOutcomeOverwritesAnother(Running way) throws Exception {
        BoundTool a = BoundTool.named("a").body((arguments, context) -> {
            throw new IllegalStateException("a broke");
        });
        BoundTool b = BoundTool.named("b").body((arguments, context) -> "ok");
        try (ToolExecutor executor = ToolExecutor.of(a, b)) {
            for (List<String> order : List.of(List.of("a", "b"), List.of("b", "a"))) {
                List<CallRecord> records =
                        way.run(executor, order.stream().map(name -> Running.call(name, null)).toList()).records();
                assertEquals(order, records.stream().map(CallRecord::tool).toList());
                Map<String, ToolResponse> told =
                        records.stream().collect(Collectors.toMap(CallRecord::tool, CallRecord::response));
                assertEquals("ok", told.get("b").unwrap());
                assertEquals("a broke", told.get("a").error().message());
            }
        }
    }

    /** F2: the sibling that ends last ends after the failure, and has its own outcome. */
    @ParameterizedTest
    @MethodSource("dev.isonomy.cases.Running#ways")
    void f2AQuickFailureLeavesASlowSiblingAlone(Running way) throws Exception {
        var failed = new CountDownLatch(1);
        BoundTool ok = BoundTool.named("ok").body((arguments, context) -> "ok");
        BoundTool bad = BoundTool.named("bad").body((arguments, context) -> {
            failed.countDown();
            throw new IllegalStateException("at once");
        });
        BoundTool slow = BoundTool.named("slow").body((arguments, context) -> {
            Running.await(failed);
            return "slow";
        });
        try (ToolExecutor executor = ToolExecutor.of(ok, bad, slow)) {
            List<CallRecord> records = way.run(executor, List.of(
                    Running.call("ok", null), Running.call("bad", null), Running.call("slow", null))).records();
            assertEquals("ok", records.get(0).response().unwrap());
            assertEquals("at once", records.get(1).response().error().message());
            assertEquals("slow", records.get(2).response().unwrap());
        }
    }

    /** F8: what had begun is finished and recorded when the batch returns; what had not never begins. */
    @ParameterizedTest
    @MethodSource("dev.isonomy.cases.Running#ways")
    void f8NoWorkIsLeftAfterABatchThatFailedFast(Running way) throws Exception {
        var inside = new AtomicInteger();
        var began = new AtomicInteger();
        BoundTool bad = BoundTool.named("bad").body((arguments, context) -> {
            throw new IllegalStateException("the first failure");
        });
        BoundTool work = BoundTool.named("work").body((arguments, context) -> {
            began.incrementAndGet();
            inside.incrementAndGet();
            Thread.sleep(20);
            inside.decrementAndGet();
            return "done";
        });
        List<ToolCall> calls = new ArrayList<>();
        calls.add(Running.call("bad", null));
        calls.addAll(Collections.nCopies(12, Running.call("work", null)));
        try (ToolExecutor executor = ToolExecutor.builder().tools(bad, work).sink(memory).build()) {
            List<CallRecord> records = way.run(executor, calls, way.options().withFailFast()).records();
            assertEquals(0, inside.get());
            int first = began.get();
            assertEquals(
                    first,
                    records.stream().skip(1).filter(each -> each.execution() == Execution.EXECUTED).count());
            records.stream().skip(1).map(CallRecord::response).forEach(each ->
                    assertTrue(each.isSuccess() || each.error().kind() == ErrorKind.NOT_RUN));
            int told = memory.events().size();
            executor.call("bad", Map.of()); // gives what should not run its chance to
            assertEquals(first, began.get());
            assertEquals(told + 3, memory.events().size());
        }
    }
}
