// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.Outcome;
import dev.isonomy.contract.ResponseEvent;
import dev.isonomy.contract.ToolCall;
import dev.isonomy.contract.ToolRequest;
import dev.isonomy.contract.ToolResponse;
import dev.isonomy.observe.MemorySink;
import dev.isonomy.observe.Metrics;
import dev.isonomy.tools.BoundTool;
import dev.isonomy.tools.Invocation;
import dev.isonomy.tools.Tool;
import dev.isonomy.tools.ToolSpec;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Calls that end by themselves. */
final class ToolExecutorTest {

    static final class Shop {
        @Tool(description = "The price of an article.")
        public static int price(String sku) {
            if (sku.isEmpty()) {
                throw new IllegalStateException("no stock");
            }
            return sku.length();
        }

        @Tool
        public static ToolResponse reserve(String sku) {
            return ToolResponse.failure("no seats").code("FULL").retryable(true).build();
        }
    }

    private static ToolCall call(String tool, Object arguments) {
        return new ToolCall(null, tool, arguments);
    }

    @Test
    void aResponseEventTellsFailuresFromSuccesses() throws InterruptedException {
        MemorySink memory = new MemorySink();
        try (ToolExecutor executor = ToolExecutor.builder().tools(Shop.class).sink(memory).build()) {
            ToolRequest request = new ToolRequest("b", List.of(
                    new ToolCall("c1", "price", "{\"sku\":\"\"}"), new ToolCall("c1", "price", Map.of("sku", "abc")),
                    new ToolCall("c2", "reserve", Map.of("sku", "a"))));
            ResponseEvent event = executor.run(request);
            assertSame(event, memory.responses().get(0));
            assertEquals("java.lang.IllegalStateException", event.records().get(0).response().error().type());
            assertEquals("no stock", event.records().get(0).response().error().message());
            assertEquals(3, event.records().get(1).response().unwrap());
            assertEquals("FULL", event.records().get(2).response().error().code());
            assertEquals(List.of("c1", "c1", "c2"), event.records().stream().map(each -> each.callId()).toList());
            assertEquals(
                    List.of("started 0", "failed 0 exception", "started 1", "finished 1", "started 2", "failed 2 tool_error"),
                    Told.of(memory));
        }
    }

    /** H5 and 8.11: every Throwable ends the call with a failed event, and siblings go on. */
    @Test
    void errorsOfTheVirtualMachineAreFailuresOfTheirCall() throws Exception {
        Metrics metrics = new Metrics();
        BoundTool overflow = BoundTool.named("overflow").body((arguments, context) -> forever(0));
        BoundTool missing = BoundTool.named("missing").body((arguments, context) -> {
            throw new NoClassDefFoundError("com/example/Gone");
        });
        BoundTool memory = BoundTool.named("memory").body((arguments, context) -> new long[Integer.MAX_VALUE][1 << 20]);
        BoundTool fine = BoundTool.named("fine").body((arguments, context) -> "ok");
        ToolRequest request = ToolRequest.of(
                call("overflow", null), call("missing", null), call("memory", null), call("fine", null));
        try (ToolExecutor executor =
                ToolExecutor.builder().tools(overflow, missing, memory, fine).sink(metrics).build()) {
            for (BatchOptions options : List.of(BatchOptions.DEFAULT, BatchOptions.inParallel(4))) {
                ResponseEvent event = executor.run(request, options);
                assertEquals("java.lang.StackOverflowError", event.records().get(0).response().error().type());
                assertEquals("java.lang.NoClassDefFoundError", event.records().get(1).response().error().type());
                assertEquals("java.lang.OutOfMemoryError", event.records().get(2).response().error().type());
                assertEquals("ok", event.records().get(3).response().unwrap());
            }
        }
        assertEquals(2, metrics.snapshot().failed("overflow"));
        assertEquals(2, metrics.snapshot().failed("missing"));
        assertEquals(2, metrics.snapshot().succeeded("fine"));
        assertEquals(0, metrics.snapshot().inFlight());
    }

    private static int forever(int n) {
        return forever(n + 1) + 1;
    }

    /** E2: an exception that could not be serialised is recorded like any other. */
    @Test
    void anExceptionWithALiveObjectIsAPlainFailure() throws InterruptedException {
        final class Odd extends RuntimeException {
            private static final long serialVersionUID = 1L;
            private final transient Thread thread = Thread.currentThread();

            @Override
            public String getMessage() {
                return "owned by " + (thread == null ? "nobody" : "a thread");
            }
        }
        BoundTool odd = BoundTool.named("odd").body((arguments, context) -> {
            throw new Odd();
        });
        try (ToolExecutor executor = ToolExecutor.of(odd)) {
            ToolResponse response = executor.call("odd", Map.of());
            assertEquals(ErrorKind.EXCEPTION, response.error().kind());
            assertEquals("owned by a thread", response.error().message());
        }
    }

    /** F11: so many bodies at once as the batch allows, and no more. */
    @Test
    void aBatchRunsAtMostSoManyCallsAtOnce() throws InterruptedException {
        AtomicInteger now = new AtomicInteger();
        AtomicInteger peak = new AtomicInteger();
        CyclicBarrier three = new CyclicBarrier(3);
        BoundTool tool = BoundTool.named("tool").body((arguments, context) -> {
            peak.accumulateAndGet(now.incrementAndGet(), Math::max);
            three.await(Hang.LIMIT_SECONDS, TimeUnit.SECONDS);
            now.decrementAndGet();
            return arguments.get("i");
        });
        List<ToolCall> calls = new ArrayList<>();
        for (int i = 0; i < 21; i++) {
            calls.add(call("tool", Map.of("i", i)));
        }
        try (ToolExecutor executor = ToolExecutor.of(tool)) {
            ResponseEvent event = executor.run(new ToolRequest(null, calls), BatchOptions.inParallel(3));
            for (int i = 0; i < 21; i++) {
                assertEquals((long) i, event.records().get(i).response().unwrap());
            }
        }
        assertTrue(peak.get() <= 3, () -> "peak " + peak);
    }

    /** 8.7: a limit of a tool holds across batches, and calls of other tools pass by those that wait. */
    @Test
    void aToolRunsAtMostAsOftenAtOnceAsItAllows() throws Exception {
        AtomicInteger now = new AtomicInteger();
        AtomicInteger peak = new AtomicInteger();
        CountDownLatch free = new CountDownLatch(1);
        CountDownLatch others = new CountDownLatch(4);
        BoundTool limited = BoundTool.named("limited").maxParallel(2).body((arguments, context) -> {
            peak.accumulateAndGet(now.incrementAndGet(), Math::max);
            Hang.await(free);
            now.decrementAndGet();
            return null;
        });
        BoundTool other = BoundTool.named("other").body((arguments, context) -> {
            others.countDown();
            return null;
        });
        List<ToolCall> calls = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            calls.add(call("limited", null));
        }
        calls.add(call("other", null));
        calls.add(call("other", null));
        try (ToolExecutor executor = ToolExecutor.of(limited, other)) {
            var one = executor.runAsync(new ToolRequest("1", calls), BatchOptions.inParallel(3));
            var two = executor.runAsync(new ToolRequest("2", calls), BatchOptions.inParallel(3));
            Hang.await(others);
            free.countDown();
            for (var future : List.of(one, two)) {
                future.get(Hang.LIMIT_SECONDS, TimeUnit.SECONDS).records().forEach(each -> assertTrue(each.response().isSuccess()));
            }
        }
        assertEquals(2, peak.get());
    }

    /** 8.7: nested calls neither need a permit nor a thread that their parent holds. */
    @Test
    void nestingNeverDeadlocks() throws Exception {
        ToolExecutor[] self = new ToolExecutor[1];
        BoundTool leaf = BoundTool.named("leaf").maxParallel(1).body((arguments, context) -> 1);
        BoundTool timed = BoundTool.named("timed").deadline(Duration.ofSeconds(Hang.LIMIT_SECONDS))
                .body((arguments, context) -> 1);
        BoundTool outer = BoundTool.named("outer").maxParallel(1).body((arguments, context) -> {
            ToolRequest both = ToolRequest.of(call("leaf", null), call("timed", null), call("leaf", null));
            long depth = (Long) arguments.get("depth");
            if (depth > 0) {
                self[0].call("outer", Map.of("depth", depth - 1)).unwrap();
            }
            int sum = 0;
            for (BatchOptions options : List.of(BatchOptions.DEFAULT, BatchOptions.inParallel(3))) {
                for (var each : self[0].run(both, options).records()) {
                    sum += (Integer) each.response().unwrap();
                }
            }
            return sum + (Integer) self[0].callAsync("leaf", Map.of()).get().unwrap();
        });
        try (ToolExecutor executor = ToolExecutor.builder().tools(leaf, timed, outer).maxThreads(1).build()) {
            self[0] = executor;
            assertEquals(7, executor.call("outer", Map.of("depth", 3)).unwrap());
            ToolCall call = call("outer", Map.of("depth", 3));
            ResponseEvent event = executor.runAsync(ToolRequest.of(call, call), BatchOptions.inParallel(2))
                    .get(Hang.LIMIT_SECONDS, TimeUnit.SECONDS);
            event.records().forEach(each -> assertEquals(7, each.response().unwrap()));
        }
    }

    @Test
    void aToolThatCallsItselfForEverEndsInAFailure() throws InterruptedException {
        ToolExecutor[] self = new ToolExecutor[1];
        AtomicInteger bodies = new AtomicInteger();
        Metrics metrics = new Metrics();
        BoundTool endless = BoundTool.named("endless").body((arguments, context) -> {
            bodies.incrementAndGet();
            return self[0].call("endless", Map.of()).unwrap();
        });
        try (ToolExecutor executor = ToolExecutor.builder().tools(endless).sink(metrics).build()) {
            self[0] = executor;
            assertEquals("not started: calls are nested too deep", executor.call("endless", Map.of()).error().message());
        }
        assertEquals(32, bodies.get());
        assertEquals(33, metrics.snapshot().failed("endless"));
        assertEquals(0, metrics.snapshot().inFlight());
    }

    /** 8.12: bodies of the blocking entry point run on the caller's thread, where there is no deadline. */
    @Test
    void whereBodiesRun() throws Exception {
        BoundTool thread = BoundTool.named("thread").body((arguments, context) -> Thread.currentThread().getName());
        BoundTool loader = BoundTool.named("loader").body(
                (arguments, context) -> Thread.currentThread().getContextClassLoader());
        try (ToolExecutor executor = ToolExecutor.of(thread, loader)) {
            String own = Thread.currentThread().getName();
            assertEquals(own, executor.call("thread", Map.of()).unwrap());
            assertTrue(((String) executor.call(call("thread", null), Duration.ofSeconds(60)).unwrap()).startsWith("isonomy-"));
            assertTrue(((String) executor.callAsync("thread", Map.of()).get().unwrap()).startsWith("isonomy-"));
            ClassLoader mine = new URLClassLoader(new URL[0]);
            ClassLoader before = Thread.currentThread().getContextClassLoader();
            Thread.currentThread().setContextClassLoader(mine);
            try {
                assertSame(mine, executor.callAsync("loader", Map.of()).get().unwrap());
            } finally {
                Thread.currentThread().setContextClassLoader(before);
            }
        }
    }

    @Test
    void recordsTellWhenAndHowLong() throws InterruptedException {
        BoundTool slow = BoundTool.named("slow").body((arguments, context) -> {
            Thread.sleep(5);
            return null;
        });
        try (ToolExecutor executor = ToolExecutor.of(slow)) {
            var done = executor.run(ToolRequest.of(call("slow", null), call("gone", null))).records();
            assertTrue(done.get(0).durationUs() >= 4_000, () -> done.get(0).toString());
            assertNotNull(done.get(0).startedAt());
            assertEquals(0, done.get(1).attempts());
        }
    }

    /** 5.29 and 9.5: what the tool's own collection does while it is looked at is no business of its siblings. */
    @Test
    void aResultThatCannotBeLookedAtIsStillAnAnswer() throws InterruptedException {
        BoundTool hostile = BoundTool.named("hostile").body((arguments, context) -> new AbstractList<Object>() {
            @Override
            public Object get(int index) {
                throw new IllegalStateException("gone");
            }

            @Override
            public int size() {
                return 3;
            }
        });
        try (ToolExecutor executor = ToolExecutor.builder().tools(hostile).strictValues(true).build()) {
            ToolResponse response = executor.call("hostile", Map.of());
            assertFalse(response.isSuccess());
            assertEquals(ErrorKind.RESULT_CONVERSION, response.error().kind());
        }
    }

    /** 3.12: a tool of somebody's own make that breaks its promise not to throw is a fault of the runtime. */
    @Test
    void aToolThatThrowsPastItsBoundaryIsInternal() throws InterruptedException {
        BoundTool fine = BoundTool.named("fine").body((arguments, context) -> 1);
        BoundTool broken = new BoundTool() {
            @Override
            public ToolSpec spec() {
                return new ToolSpec("broken", "", Map.of(), Map.of(), null, 0, null, "java", "files");
            }

            @Override
            public Outcome invoke(Invocation invocation) {
                throw new IllegalStateException("a bug");
            }
        };
        MemorySink memory = new MemorySink();
        try (ToolExecutor executor = ToolExecutor.builder().tools(broken, fine).sink(memory).build()) {
            for (BatchOptions options : List.of(BatchOptions.DEFAULT, BatchOptions.inParallel(2))) {
                var done = executor.run(ToolRequest.of(call("broken", null), call("fine", null)), options).records();
                assertEquals(ErrorKind.INTERNAL, done.get(0).response().error().kind());
                assertTrue(done.get(1).response().isSuccess());
            }
        }
        assertEquals("files", memory.executions().get(0).server());
    }

    @Test
    void misuseOfTheBuilderSaysWhatToDo() {
        assertEquals("maxThreads is at least 1, got 0",
                assertThrows(Misuse.class, () -> ToolExecutor.builder().maxThreads(0).build()).getMessage());
        assertThrows(Misuse.class, () -> ToolExecutor.builder().maxResultBytes(0).build());
        assertThrows(Misuse.class, () -> ToolExecutor.builder().tools(new Object()).build());
        assertThrows(Misuse.class, () -> ToolExecutor.of(Shop.class, Shop.class));
    }
}
