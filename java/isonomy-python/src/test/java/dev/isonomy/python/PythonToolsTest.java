// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.python;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.contract.Block;
import dev.isonomy.contract.Cause;
import dev.isonomy.contract.Effect;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Event;
import dev.isonomy.contract.ExecutionEvent;
import dev.isonomy.contract.Opaque;
import dev.isonomy.contract.Progress;
import dev.isonomy.contract.ToolCall;
import dev.isonomy.contract.ToolError;
import dev.isonomy.contract.ToolFailure;
import dev.isonomy.contract.ToolRequest;
import dev.isonomy.contract.ToolResponse;
import dev.isonomy.contract.ToolSuccess;
import dev.isonomy.observe.MemorySink;
import dev.isonomy.runtime.BatchOptions;
import dev.isonomy.runtime.ToolExecutor;
import dev.isonomy.tools.BoundTool;
import dev.isonomy.tools.InjectedParameter;
import dev.isonomy.tools.ToolSpec;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a Java host gets of Python tools (clauses 3, 4, 5, 7 and 10). */
final class PythonToolsTest {

    private static PythonTools tools;
    private static ToolExecutor executor;

    @BeforeAll
    static void start() {
        tools = Python.acme().workers(2).environment(Map.of("SHOP", "north")).start();
        executor = ToolExecutor.builder().tools(tools.tools()).inject(Map.of("tenant_id", "t-1")).build();
    }

    @AfterAll
    static void close() {
        if (executor != null) {
            executor.close();
            tools.close();
        }
    }

    private static Object result(String tool, Map<String, ?> arguments) throws InterruptedException {
        return executor.call(tool, arguments).unwrap();
    }

    private static ToolError error(String tool, Map<String, ?> arguments) throws InterruptedException {
        ToolResponse response = executor.call(tool, arguments);
        assertTrue(response instanceof ToolFailure, () -> tool + " gave " + response);
        return ((ToolFailure) response).error();
    }

    @Test
    void toolsAppearAsTheyAreInPython() {
        ToolSpec spec = executor.tools().get("add").spec();
        assertEquals("Add two integers.", spec.description());
        assertEquals("python", spec.language());
        assertEquals("2", spec.version());
        assertEquals(3, spec.maxParallel());
        assertEquals(Duration.ofSeconds(20), spec.deadline());
        assertEquals(List.of("first"), spec.inputSchema().get("required"));
        assertEquals(
                Map.of("tenant", new InjectedParameter("tenant_id", false)),
                executor.tools().get("tenant").spec().injected());
        assertEquals(tools.tools().stream().map(tool -> tool.spec().name()).toList(),
                executor.tools().all().stream().map(tool -> tool.spec().name()).toList());
    }

    @Test
    void argumentsAreValidatedInPython() throws InterruptedException {
        assertEquals(4L, result("add", Map.of("first", 3)));
        ToolError wrong = error("add", Map.of("first", "x", "third", 1));
        assertEquals(ErrorKind.INVALID_ARGUMENTS, wrong.kind());
        assertTrue(wrong.message().contains("third"), wrong.message());
        assertEquals(5L, executor.call(new ToolCall(null, "add", "{\"first\": 2, \"second\": 3}"), null).unwrap());
        assertEquals(ErrorKind.INVALID_ARGUMENTS,
                ((ToolFailure) executor.call(new ToolCall(null, "add", "{\"first\""), null)).error().kind());
        assertEquals(ErrorKind.INVALID_ARGUMENTS, error("echo", Map.of("value", new Object())).kind());
    }

    @Test
    void theHostsValuesReachPython() throws InterruptedException {
        assertEquals("t-1-x", result("tenant", Map.of("suffix", "x")));
        assertEquals(ErrorKind.INVALID_ARGUMENTS, error("tenant", Map.of("suffix", "x", "tenant", "t-2")).kind());
        try (ToolExecutor poor = ToolExecutor.of(tools.tools())) {
            ToolFailure none = (ToolFailure) poor.call("tenant", Map.of("suffix", "x"));
            assertEquals(ErrorKind.INTERNAL, none.error().kind());
        }
        try (ToolExecutor odd = ToolExecutor.builder()
                .tools(tools.tools())
                .inject(Map.of("tenant_id", Thread.currentThread()))
                .build()) {
            ToolFailure none = (ToolFailure) odd.call("tenant", Map.of("suffix", "x"));
            assertTrue(none.error().message().contains("cannot reach the worker"), none.error().message());
        }
    }

    /** D1. */
    @Test
    void anExceptionCrossesWithItsTypeTextAndTrace() throws InterruptedException {
        ToolError error = error("raise_value_error", Map.of());
        assertEquals(ErrorKind.EXCEPTION, error.kind());
        assertEquals("ValueError", error.type());
        assertEquals("bad sku", error.message());
        assertEquals("python", error.language());
        assertTrue(error.trace().contains("raise ValueError(\"bad sku\")"), error.trace());
    }

    /** D2. */
    @Test
    void aChainOfCausesIsKeptInOrder() throws InterruptedException {
        ToolError error = error("raise_chain", Map.of());
        assertEquals("outer", error.message());
        assertEquals(
                List.of(new Cause("ValueError", "middle", "python"), new Cause("KeyError", "'inner'", "python")),
                error.causes());
        assertEquals(List.of(new Cause("RuntimeError", "second", "python")), error("raise_circle", Map.of()).causes());
    }

    @Test
    void declaredFailuresAndSuccessesAreKept() throws InterruptedException {
        ToolError refused = error("refuse", Map.of());
        assertEquals(ErrorKind.TOOL_ERROR, refused.kind());
        assertEquals("E17", refused.code());
        assertEquals(Boolean.TRUE, refused.retryable());
        assertEquals(Map.of("sku", "a1"), refused.details());
        assertEquals("sold out", error("refuse_by_raising", Map.of()).message());
        ToolSuccess success = (ToolSuccess) executor.call("answer_success", Map.of());
        assertEquals(Map.of("n", 1L), success.result());
        assertEquals(List.of(Block.text("as text")), success.content());
        assertEquals(Map.of("m", 2L), success.meta());
        assertEquals(
                Map.of("success", false, "error", "x", "isError", true, "status", "failure"),
                result("looks_like_failure", Map.of()));
    }

    /** D4. */
    @Test
    void integersOfAnySizeAreExactBothWays() throws InterruptedException {
        List<Object> expected = List.of(
                1L << 31, (1L << 53) + 1, Long.MAX_VALUE, BigInteger.TWO.pow(63), BigInteger.TWO.pow(63).negate().subtract(BigInteger.ONE));
        assertEquals(expected, result("integers", Map.of()));
        assertEquals(expected, result("echo", Map.of("value", expected)));
    }

    /** D7. */
    @Test
    void keysThatAreNoTextsWork() throws InterruptedException {
        assertEquals(26L, ((Map<?, ?>) result("keyed", Map.of())).get(25L));
    }

    /** D8. */
    @Test
    void aHundredCallsFromAHundredThreads() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(100);
        List<Object> results = Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < 100; i++) {
            int number = i;
            new Thread(() -> {
                try {
                    results.add(result("add", Map.of("first", number, "second", 1000)));
                } catch (InterruptedException cancelled) {
                    results.add(cancelled);
                } finally {
                    done.countDown();
                }
            }).start();
        }
        assertTrue(done.await(Python.HANG_SECONDS, java.util.concurrent.TimeUnit.SECONDS), "it hangs");
        List<Object> expected = new ArrayList<>();
        for (long i = 1000; i < 1100; i++) {
            expected.add(i);
        }
        results.sort(null);
        assertEquals(expected, results);
    }

    /** D11. */
    @Test
    void resultsHoldValuesAndNoHandles() throws InterruptedException {
        Map<?, ?> result = (Map<?, ?>) result("with_object", Map.of());
        assertTrue(result.get("lock") instanceof Opaque, () -> result.toString());
        List<?> rows = (List<?>) result.get("rows");
        assertEquals(List.of(1L, 2.5), rows.get(0));
        assertArrayEquals(new byte[] {'h', 'i'}, (byte[]) ((Map<?, ?>) rows.get(1)).get("a"));
    }

    @Test
    void aResultKeepsToTheHostsLimits() throws InterruptedException {
        try (ToolExecutor strict = ToolExecutor.builder().tools(tools.tools()).strictValues(true).build();
                ToolExecutor narrow = ToolExecutor.builder().tools(tools.tools()).maxResultBytes(100).build()) {
            assertEquals(ErrorKind.RESULT_CONVERSION,
                    ((ToolFailure) strict.call("with_object", Map.of())).error().kind());
            assertEquals(ErrorKind.TOO_LARGE,
                    ((ToolFailure) narrow.call("big", Map.of("size", 200))).error().kind());
        }
    }

    @Test
    void framesAreBounded() throws InterruptedException {
        try (PythonTools few = Python.acme().maxFrame(65_536).start();
                ToolExecutor bounded = ToolExecutor.of(few.tools())) {
            ToolError arguments = ((ToolFailure) bounded.call("length", Map.of("text", "x".repeat(70_000)))).error();
            assertEquals(ErrorKind.TOO_LARGE, arguments.kind());
            assertEquals(Effect.NONE, arguments.effect());
            assertEquals("the arguments take more than 65536 bytes", arguments.message());
            ToolError result = ((ToolFailure) bounded.call("big", Map.of("size", 70_000))).error();
            assertEquals(ErrorKind.TOO_LARGE, result.kind());
            assertEquals(Effect.POSSIBLE, result.effect());
            assertEquals(60_000L, bounded.call("length", Map.of("text", "x".repeat(60_000))).unwrap());
        }
    }

    @Test
    void longFramesPassBothWays() throws InterruptedException {
        String text = "é".repeat(3_000_000);
        assertEquals(text, result("echo", Map.of("value", text)));
    }

    @Test
    void theBodyKnowsItsCallAndTellsItsProgress() throws InterruptedException {
        List<Progress> seen = Collections.synchronizedList(new ArrayList<>());
        try (ToolExecutor watched = ToolExecutor.builder()
                .tools(tools.tools())
                .sink(event -> progress(event, seen))
                .build()) {
            assertEquals(
                    Arrays.asList("c-7", 1L, true),
                    watched.call(new ToolCall("c-7", "about", Map.of()), Duration.ofSeconds(50)).unwrap());
            assertEquals(Arrays.asList(null, 1L, false), watched.call("about", Map.of()).unwrap());
        }
        Progress half = new Progress(1, 2.0, "half");
        Progress whole = new Progress(2, 2.0, null);
        assertEquals(List.of(half, whole, half, whole), seen);
    }

    private static void progress(Event event, List<Progress> seen) {
        if (event instanceof ExecutionEvent execution && execution.progress() != null) {
            seen.add(execution.progress());
        }
    }

    @Test
    void whatPythonLogsReachesLoggersOfTheSameName() throws InterruptedException {
        List<String> lines = Collections.synchronizedList(new ArrayList<>());
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord logged) {
                lines.add(logged.getLevel() + " " + logged.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger("acme.chatty");
        logger.setUseParentHandlers(false);
        logger.addHandler(handler);
        try {
            assertEquals("said", result("chatty", Map.of()));
        } finally {
            logger.removeHandler(handler);
        }
        assertEquals(List.of("WARNING stock is low {0}"), lines);
    }

    @Test
    void aLogHandlerThatRaisesChangesNoResponse() throws InterruptedException {
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord logged) {
                throw new IllegalStateException("full");
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger("acme.chatty");
        logger.setUseParentHandlers(false);
        logger.addHandler(handler);
        try {
            assertEquals("said", result("chatty", Map.of()));
        } finally {
            logger.removeHandler(handler);
        }
    }

    @Test
    void workersHaveTheirEnvironmentAndFolder(@TempDir Path folder) throws InterruptedException {
        assertEquals("north", ((List<?>) result("environment", Map.of("name", "SHOP"))).get(0));
        try (PythonTools elsewhere = Python.acme().workingDirectory(folder).start();
                ToolExecutor there = ToolExecutor.of(elsewhere.tools())) {
            List<?> told = (List<?>) there.call("environment", Map.of("name", "NOT_SET_HERE")).unwrap();
            assertNull(told.get(0));
            assertEquals(folder.toString(), told.get(1));
        }
        Path venv = Python.interpreter().getParent().getParent();
        if (Files.isRegularFile(venv.resolve("pyvenv.cfg"))) {
            try (PythonTools named = Python.acme().python(venv).start()) {
                assertNotNull(named.tools().get(0));
            }
        }
    }

    @Test
    void callsRunInParallelOverWorkersAndWithinThem() throws InterruptedException {
        List<ToolCall> calls = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            calls.add(ToolCall.of(i % 2 == 0 ? "pause" : "pause_async", Map.of("seconds", 0.5)));
        }
        long began = System.nanoTime();
        executor.run(new ToolRequest(null, calls), BatchOptions.inParallel(8))
                .records()
                .forEach(each -> assertEquals("awake", each.response().unwrap()));
        assertTrue(System.nanoTime() - began < 3_000_000_000L, "8 pauses of 0.5 s one after the other take 4 s");
    }

    @Test
    void aTapeOfPrintsHarmsNothing() throws InterruptedException {
        assertEquals("closed", result("close_stdout", Map.of()));
        assertEquals(1L, result("echo", Map.of("value", 1)));
    }

    @Test
    void aJavaToolMayCallAPythonToolOfTheOnlyWorker() throws InterruptedException {
        try (PythonTools one = Python.acme().callsPerWorker(1).start()) {
            ToolExecutor[] host = new ToolExecutor[1];
            BoundTool outer = BoundTool.named("outer").body((arguments, context) ->
                    host[0].call("raise_value_error", Map.of()).unwrap());
            try (ToolExecutor nested = ToolExecutor.of(one.tools(), outer)) {
                host[0] = nested;
                List<ToolCall> calls = Collections.nCopies(6, ToolCall.of("outer", new HashMap<>()));
                nested.run(new ToolRequest(null, calls), BatchOptions.inParallel(6)).records().forEach(each -> {
                    ToolError error = ((ToolFailure) each.response()).error();
                    assertEquals("ValueError", error.type());
                    assertEquals("python", error.language());
                });
            }
        }
    }
}
