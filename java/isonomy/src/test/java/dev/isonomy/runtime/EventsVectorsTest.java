// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.contract.Event;
import dev.isonomy.contract.ExecutionEvent;
import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.Notice;
import dev.isonomy.contract.ResponseEvent;
import dev.isonomy.contract.ToolRequest;
import dev.isonomy.contract.Wire;
import dev.isonomy.observe.MemorySink;
import dev.isonomy.tools.BoundTool;
import dev.isonomy.vectors.ExpectedResponse;
import dev.isonomy.vectors.Fields;
import dev.isonomy.vectors.ReadsVectors;
import dev.isonomy.vectors.VectorTools;
import dev.isonomy.vectors.Vectors;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Batches, their records and events against the vectors; each from the blocking and the asynchronous entry point. */
@ReadsVectors("events")
@Execution(ExecutionMode.CONCURRENT)
final class EventsVectorsTest {

    private static final Set<String> RECORD =
            Set.of("position", "call_id", "tool", "response", "execution", "attempts", "started_at", "duration_us");
    private static final Set<String> EVENT = Set.of(
            "event", "type", "batch", "seq", "position", "call_id", "tool", "at", "execution", "attempts", "duration_us",
            "kind", "reason");


    @TestFactory
    Stream<DynamicTest> blocking() {
        return Vectors.tests("events", vector -> check(vector, false));
    }

    @TestFactory
    Stream<DynamicTest> asynchronous() {
        return Vectors.tests("events", vector -> check(vector, true));
    }

    private static void check(Fields vector, boolean async) {
        List<?> cancel = (List<?>) vector.json("cancel", List.of());
        Fields options = vector.has("options") ? vector.object("options") : Fields.of("no options", Map.of());
        VectorTools tools = new VectorTools(cancel.size());
        MemorySink memory = new MemorySink();
        try (ToolExecutor executor = executor(vector, options, tools, memory)) {
            tools.setExecutor(executor);
            ToolRequest request = request(vector);
            if (vector.has("refused")) {
                assertTrue(vector.bool("refused"));
                assertThrows(Misuse.class, () -> executor.run(request, options(options)));
            } else if (!cancel.isEmpty()) {
                cancelled(executor, request, options(options), tools, async);
                assertTrue(memory.responses().isEmpty(), "a cancelled batch has no response event");
            } else {
                ResponseEvent event = async
                        ? executor.runAsync(request, options(options)).get(60, TimeUnit.SECONDS)
                        : executor.run(request, options(options));
                checkRecords(vector.objects("records"), event);
                List<Event> told = memory.events().stream().filter(each -> !(each instanceof Notice)).toList();
                assertEquals(event, told.get(told.size() - 1), "the response event is last");
            }
            checkEvents(vector, request, options, memory);
            checkRuns(vector, tools);
        } catch (Exception unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    @SuppressWarnings("unchecked") // the keys of JSON objects are strings
    private static ToolExecutor executor(Fields vector, Fields options, VectorTools tools, MemorySink memory) {
        List<BoundTool> made = new ArrayList<>();
        ((Map<String, Map<String, Object>>) vector.json("tools"))
                .forEach((name, behaviour) -> made.add(tools.tool(name, behaviour)));
        ToolExecutorBuilder builder = ToolExecutor.builder().tools(made).sink(memory);
        if (options.has("max_result_bytes")) {
            builder.maxResultBytes(options.integer("max_result_bytes"));
        }
        if (options.has("strict_values")) {
            builder.strictValues(options.bool("strict_values"));
        }
        builder.inject((Map<String, Object>) options.json("inject", Map.of()));
        return builder.build();
    }

    private static ToolRequest request(Fields vector) {
        Map<String, Object> wire = new LinkedHashMap<>();
        wire.put("event", "tool_request");
        wire.put("id", vector.json("request_id", null));
        wire.put("calls", vector.json("calls"));
        return Wire.decodeRequest(Vectors.text(wire).getBytes(StandardCharsets.UTF_8));
    }

    private static BatchOptions options(Fields options) {
        return new BatchOptions(
                (Integer) options.json("parallel", 1),
                seconds(options.json("deadline", null)),
                seconds(options.json("call_deadline", null)),
                (Boolean) options.json("fail_fast", false));
    }

    private static Duration seconds(Object value) {
        return value == null ? null : Duration.ofMillis(Math.round(((Number) value).doubleValue() * 1000));
    }

    private static void cancelled(
            ToolExecutor executor, ToolRequest request, BatchOptions options, VectorTools tools, boolean async)
            throws InterruptedException {
        if (async) {
            CompletableFuture<ResponseEvent> future = executor.runAsync(request, options);
            tools.awaitStarted();
            assertTrue(future.cancel(true));
            assertThrows(CancellationException.class, future::join);
            return;
        }
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            try {
                end.complete(new AssertionError("answered: " + executor.run(request, options)));
            } catch (Throwable thrown) {
                end.complete(thrown);
            }
        });
        caller.start();
        tools.awaitStarted();
        caller.interrupt();
        assertEquals(InterruptedException.class, end.join().getClass());
    }

    private static void checkRecords(List<Fields> expected, ResponseEvent event) {
        Map<?, ?> wire = (Map<?, ?>) Vectors.json(Wire.encode(event));
        assertEquals(Set.of("event", "id", "records"), wire.keySet());
        List<?> records = (List<?>) wire.get("records");
        assertEquals(expected.size(), records.size());
        for (int i = 0; i < records.size(); i++) {
            Map<?, ?> made = (Map<?, ?>) records.get(i);
            Fields wanted = expected.get(i);
            List<String> extra = made.keySet().stream().map(String.class::cast).filter(f -> !RECORD.contains(f)).toList();
            assertTrue(extra.isEmpty() || extra.equals(List.of("decoded")), () -> "fields " + extra);
            for (String name : List.of("position", "call_id", "tool", "execution", "attempts")) {
                assertEquals(wanted.json(name), made.get(name), name);
            }
            boolean executed = wanted.text("execution").equals("executed");
            assertEquals(executed, made.get("started_at") != null, "started_at");
            assertEquals(executed, made.get("duration_us") != null, "duration_us");
            if (wanted.has("decoded")) {
                assertEquals(wanted.json("decoded"), made.containsKey("decoded") ? made.get("decoded") : List.of());
            }
            ExpectedResponse.check(wanted.object("response"), event.records().get(i).response());
        }
    }

    private static void checkEvents(Fields vector, ToolRequest request, Fields options, MemorySink memory) {
        if (!vector.has("events")) {
            return;
        }
        List<List<Object>> told = new ArrayList<>();
        long seq = 0;
        for (Event event : memory.events()) {
            if (!(event instanceof ExecutionEvent execution)) {
                continue;
            }
            assertEquals(seq++, execution.seq());
            assertEquals(request.id(), execution.batch());
            assertEquals(request.calls().get(execution.position()).callId(), execution.callId());
            assertEquals(request.calls().get(execution.position()).tool(), execution.tool());
            Map<?, ?> wire = (Map<?, ?>) Vectors.json(Wire.encode(event));
            assertTrue(EVENT.containsAll(wire.keySet()), () -> "fields " + wire.keySet());
            told.add(told(execution));
        }
        List<?> expected = vector.list("events");
        if ((Integer) options.json("parallel", 1) > 1) {
            for (int i = 0; i < request.calls().size(); i++) {
                assertEquals(at(expected, i), at(told, i), "events of position " + i);
            }
            assertEquals(expected.size(), told.size());
        } else {
            assertEquals(expected, told);
        }
    }

    private static List<Object> told(ExecutionEvent event) {
        List<Object> told = new ArrayList<>(List.of(event.type().wire(), event.position()));
        if (event.kind() != null) {
            told.add(event.kind().wire());
        }
        if (event.reason() != null) {
            told.add(event.reason());
        }
        return told;
    }

    private static List<?> at(List<?> events, int position) {
        return events.stream().filter(event -> ((List<?>) event).get(1).equals(position)).toList();
    }

    private static void checkRuns(Fields vector, VectorTools tools) {
        if (vector.has("runs")) {
            ((Map<?, ?>) vector.json("runs")).forEach((tool, runs) -> assertEquals(runs, tools.runs((String) tool)));
        }
    }
}
