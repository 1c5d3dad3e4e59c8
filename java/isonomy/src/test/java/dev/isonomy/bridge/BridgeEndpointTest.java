// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.bridge;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.contract.BridgeCall;
import dev.isonomy.contract.BridgeReply;
import dev.isonomy.contract.Effect;
import dev.isonomy.contract.Envelope;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Limits;
import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.Outcome;
import dev.isonomy.contract.Portable;
import dev.isonomy.contract.Progress;
import dev.isonomy.contract.Raised;
import dev.isonomy.contract.Returned;
import dev.isonomy.contract.Settled;
import dev.isonomy.contract.ToolError;
import dev.isonomy.contract.ToolFailure;
import dev.isonomy.contract.ToolResponse;
import dev.isonomy.tools.Injected;
import dev.isonomy.tools.Tool;
import dev.isonomy.tools.ToolContext;
import dev.isonomy.tools.ToolParam;
import dev.isonomy.tools.ToolRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls of a host in another language, as bytes (clause 10). */
final class BridgeEndpointTest {

    public static final class Tools {
        static volatile CountDownLatch running = new CountDownLatch(1);
        static volatile boolean toldCancelled;

        @Tool(description = "The longest id.", version = "3", maxParallel = 2, deadlineMs = 250)
        public static long id(Long id) {
            return id;
        }

        @Tool
        public static Object typed(LocalDate day, byte[] bytes, List<Integer> numbers) {
            return Map.of("day", day.plusDays(1), "bytes", bytes, "numbers", numbers);
        }

        @Tool
        public static String hosted(@Injected(name = "tenant", identity = true, secret = false) String who, @Injected long quota) {
            return who + " " + quota;
        }

        @Tool
        public static Map<String, Object> context(ToolContext context) {
            for (int i = 0; i < 150; i++) {
                context.progress(i, 150.0, i == 0 ? "first" : null);
            }
            Map<String, Object> seen = new LinkedHashMap<>();
            seen.put("call_id", context.callId());
            seen.put("attempt", context.attempt());
            seen.put("remaining", context.remaining().isPresent());
            return seen;
        }

        @Tool
        public static void chain() {
            throw new IllegalStateException("no stock", new RuntimeException("database", new IOException("disk")));
        }

        @Tool
        public static void deep() {
            deep();
        }

        @Tool
        public static Object memory() {
            return new long[Integer.MAX_VALUE][1 << 20];
        }

        @Tool
        public static ToolResponse full() {
            return ToolResponse.failure("no seats").code("FULL").build();
        }

        @Tool
        public static CompletableFuture<String> later(boolean fine) {
            return CompletableFuture.supplyAsync(() -> {
                if (!fine) {
                    throw new IllegalArgumentException("later");
                }
                return "at last";
            });
        }

        @Tool
        public static String waits(ToolContext context) throws InterruptedException {
            running.countDown();
            try {
                new CountDownLatch(1).await();
            } finally {
                toldCancelled = context.cancelled();
            }
            return "never";
        }

        @Tool
        public static CompletableFuture<String> never() {
            running.countDown();
            return new CompletableFuture<>();
        }

        @Tool
        public static boolean interrupted() {
            return Thread.currentThread().isInterrupted();
        }

        @Tool
        public static Object nested(@ToolParam(required = false) Map<String, Object> o) {
            return o;
        }
    }

    private final BridgeEndpoint endpoint = BridgeEndpoint.of(ToolRegistry.of(Tools.class));

    private static BridgeCall of(String tool, Object arguments) {
        return new BridgeCall(tool, arguments, Map.of(), "c1", 1, null, Limits.DEFAULT);
    }

    private BridgeReply reply(BridgeCall call) {
        return Envelope.decodeReply(endpoint.call(Envelope.encodeCall(call)));
    }

    private Object value(String tool, Object arguments) {
        return assertInstanceOf(Returned.class, reply(of(tool, arguments)).outcome()).value();
    }

    private static ToolError settled(Outcome outcome) {
        return assertInstanceOf(Settled.class, outcome).error();
    }

    /** D5 and I1: what a boxed Long takes does not depend on how large the number is. */
    @Test
    void integersAreExactOrRefused() {
        for (long id : new long[] {1, 3_000_000_000L, 9007199254740993L, Long.MAX_VALUE, Long.MIN_VALUE}) {
            assertEquals(id, value("id", Map.of("id", id)));
        }
        ToolError error = settled(reply(of("id", Map.of("id", 1e30))).outcome());
        assertEquals(ErrorKind.INVALID_ARGUMENTS, error.kind());
        assertEquals(Effect.NONE, error.effect());
        assertEquals("id: must be <= 9223372036854775807", error.message());
    }

    @Test
    void portableValuesCrossBothWays() {
        Map<?, ?> result = (Map<?, ?>) value("typed", Map.of("day", "2026-01-31", "bytes", "/wD+", "numbers", List.of(1, 2)));
        assertEquals(LocalDate.of(2026, 2, 1), result.get("day"));
        assertEquals(3, ((byte[]) result.get("bytes")).length);
        assertEquals(List.of(1L, 2L), result.get("numbers"));
    }

    @Test
    void hostValuesComeByTheirHostNames() {
        BridgeCall call = new BridgeCall(
                "hosted", Map.of(), Map.of("tenant", "t1", "quota", 7L), null, 1, null, Limits.DEFAULT);
        assertEquals("t1 7", ((Returned) reply(call).outcome()).value());
        assertEquals(ErrorKind.INTERNAL, settled(reply(of("hosted", Map.of())).outcome()).kind());
    }

    @Test
    void theContextIsTheCalls() {
        BridgeReply reply = reply(new BridgeCall("context", Map.of(), Map.of(), "c9", 2, 5_000L, Limits.DEFAULT));
        assertEquals(Map.of("call_id", "c9", "attempt", 2L, "remaining", true), ((Returned) reply.outcome()).value());
        assertEquals(100, reply.progress().size(), "the envelope takes a bounded number of reports");
        assertEquals(new Progress(0, 150.0, "first"), reply.progress().get(0));
        assertEquals(false, ((Map<?, ?>) value("context", Map.of())).get("remaining"));
    }

    /** D2: the chain of causes crosses whole. */
    @Test
    void exceptionsCrossAsData() {
        Raised raised = assertInstanceOf(Raised.class, reply(of("chain", Map.of())).outcome());
        assertEquals("java.lang.IllegalStateException", raised.error().type());
        assertEquals(
                List.of("java.lang.RuntimeException: database", "java.io.IOException: disk"),
                raised.error().causes().stream().map(cause -> cause.type() + ": " + cause.message()).toList());
        assertTrue(raised.error().trace().contains("BridgeEndpointTest"));
    }

    @Test
    void nothingIsEverThrownToTheHost() {
        assertEquals("java.lang.StackOverflowError", ((Raised) reply(of("deep", Map.of())).outcome()).error().type());
        assertEquals("java.lang.OutOfMemoryError", ((Raised) reply(of("memory", Map.of())).outcome()).error().type());
        for (byte[] broken : List.of(new byte[0], "{".getBytes(UTF_8), "{\"v\":2}".getBytes(UTF_8), new byte[] {-1, -2})) {
            ToolError error = settled(Envelope.decodeReply(endpoint.call(broken)).outcome());
            assertEquals(ErrorKind.INTERNAL, error.kind());
            assertEquals(Effect.NONE, error.effect());
        }
        assertEquals("no tool named \"gone\"", settled(reply(of("gone", Map.of())).outcome()).message());
        assertEquals(ErrorKind.INTERNAL, settled(Envelope.decodeReply(endpoint.call(null)).outcome()).kind());
    }

    @Test
    void responsesAndStages() {
        assertEquals("FULL", ((ToolFailure) value("full", Map.of())).error().code());
        assertEquals("at last", value("later", Map.of("fine", true)));
        Raised raised = assertInstanceOf(Raised.class, reply(of("later", Map.of("fine", false))).outcome());
        assertEquals("later", raised.error().message());
    }

    @Test
    void theLimitsAreTheHosts() {
        BridgeCall tight = new BridgeCall("nested", Map.of("o", Map.of("a", "0123456789")), Map.of(), null, 1, null,
                new Limits(10, false));
        assertEquals("the result takes more than 10 bytes", settled(reply(tight).outcome()).message());
    }

    @Test
    void argumentsThatCameAsTextAreTold() {
        BridgeReply reply = reply(of("nested", Map.of("o", "{\"$iso:date\":\"x\"}")));
        assertEquals(List.of("o"), reply.decoded());
        assertEquals(Map.of("$iso:date", "x"), ((Returned) reply.outcome()).value());
        assertNull(((Returned) reply(of("nested", Map.of())).outcome()).value());
    }

    @Test
    void cancellingInterruptsTheBodyOnceAndItsThreadGoesOn() throws Exception {
        for (String tool : List.of("waits", "never")) {
            Tools.running = new CountDownLatch(1);
            Tools.toldCancelled = false;
            CompletableFuture<List<Outcome>> answers = new CompletableFuture<>();
            Thread host = new Thread(() -> {
                List<Outcome> seen = new ArrayList<>();
                for (String name : List.of(tool, "interrupted")) {
                    byte[] envelope = endpoint.call(Envelope.encodeCall(of(name, Map.of())), 42);
                    seen.add(Envelope.decodeReply(envelope).outcome());
                }
                answers.complete(seen);
            });
            host.start();
            assertTrue(Tools.running.await(60, TimeUnit.SECONDS));
            endpoint.cancel(41);
            while (!answers.isDone() && host.isAlive()) {
                // A stage is waited for a moment after the body has told that it runs.
                endpoint.cancel(42);
                Thread.sleep(1);
            }
            List<Outcome> seen = answers.get(60, TimeUnit.SECONDS);
            assertEquals("java.lang.InterruptedException", ((Raised) seen.get(0)).error().type());
            assertEquals(tool.equals("waits"), Tools.toldCancelled);
        }
    }

    @Test
    void describeTellsAHostAllItNeeds() {
        List<?> described = (List<?>) Portable.decode(endpoint.describe());
        Map<?, ?> id = (Map<?, ?>) described.stream().filter(each -> ((Map<?, ?>) each).get("name").equals("id"))
                .findFirst().orElseThrow();
        assertEquals("The longest id.", id.get("description"));
        assertEquals("3", id.get("version"));
        assertEquals(2L, id.get("max_parallel"));
        assertEquals(250L, id.get("deadline_ms"));
        assertEquals(false, id.get("wants_context"));
        assertEquals(
                true,
                described.stream()
                        .map(each -> (Map<?, ?>) each)
                        .filter(each -> each.get("name").equals("context"))
                        .findFirst()
                        .orElseThrow()
                        .get("wants_context"));
        assertEquals(List.of("id"), ((Map<?, ?>) id.get("input_schema")).get("required"));
        Map<?, ?> hosted = (Map<?, ?>) described.stream()
                .filter(each -> ((Map<?, ?>) each).get("name").equals("hosted")).findFirst().orElseThrow();
        assertEquals(
                Map.of(
                        "who", Map.of("name", "tenant", "identity", true, "secret", false),
                        "quota", Map.of("name", "quota", "identity", false, "secret", true)),
                hosted.get("injected"));
    }

    private static final String PRICES = """
            package com.example;

            import dev.isonomy.contract.ToolResponse;
            import dev.isonomy.tools.CallableTool;
            import dev.isonomy.tools.Tool;
            import dev.isonomy.tools.ToolContext;
            import java.util.Map;

            public class Prices {
                private int asked;

                @Tool public static int price(String sku) { return sku.length(); }
                @Tool public int asked() { return ++asked; }
                @Tool public static ToolResponse full() { return ToolResponse.error("no seats"); }
                @Tool public static boolean seesItsOwn() throws Exception {
                    return Thread.currentThread().getContextClassLoader().loadClass("com.example.Prices") == Prices.class;
                }
                public static String plain(String text) { return text; }
                public static int twice(int n) { return 2 * n; }
                public static int twice(String n) { return 2; }
                private void hidden() {}

                public static class Echo implements CallableTool {
                    public String name() { return "echo"; }
                    public Map<String, ?> inputSchema() { return Map.of("type", "object"); }
                    public Object call(Map<String, Object> arguments, ToolContext context) { return arguments; }
                }

                public static class Needs {
                    public Needs(int n) {}
                    @Tool public int n() { return 0; }
                }
            }
            """;

    @Test
    void toolsOfAClassPathShareTheLibraryWithTheirHost(@TempDir Path folder) throws Exception {
        Path classes = Compiled.classes(folder, "com.example.Prices", PRICES, "-parameters");
        String[] specs = {"com.example.Prices", "com.example.Prices#plain", "com.example.Prices$Echo"};
        try (BridgeEndpoint loaded = BridgeEndpoint.load(specs, ToolClasses.of(new String[] {classes.toString()}))) {
            assertEquals(3L, answer(loaded, "price", Map.of("sku", "abc")));
            assertEquals(1L, answer(loaded, "asked", Map.of()));
            assertEquals(2L, answer(loaded, "asked", Map.of()), "one instance serves all calls");
            assertEquals("no seats", ((ToolFailure) answer(loaded, "full", Map.of())).error().message());
            assertEquals(true, answer(loaded, "seesItsOwn", Map.of()));
            assertEquals("t", answer(loaded, "Prices_plain", Map.of("text", "t")));
            assertEquals(Map.of("a", 1L), answer(loaded, "echo", Map.of("a", 1)));
        }
    }

    private static Object answer(BridgeEndpoint endpoint, String tool, Map<String, Object> arguments) {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        BridgeReply reply = Envelope.decodeReply(endpoint.call(Envelope.encodeCall(of(tool, arguments))));
        assertEquals(before, Thread.currentThread().getContextClassLoader());
        return assertInstanceOf(Returned.class, reply.outcome()).value();
    }

    @Test
    void whatCannotBeLoadedIsSaidInOneSentence(@TempDir Path folder) throws Exception {
        String path = Compiled.classes(folder, "com.example.Prices", PRICES, "-parameters").toString();
        assertMisuse("com.example.Gone", path, "cannot be loaded");
        assertMisuse("com.example.Prices#gone", path, "no public method named gone");
        assertMisuse("com.example.Prices#twice", path, "several public methods named twice");
        assertMisuse("com.example.Prices#hidden", path, "no public method named hidden");
        assertMisuse("com.example.Prices$Needs", path, "public constructor without parameters");
        assertMisuse("java.lang.String", path, "no public method marked @Tool");
        assertMisuse("com.example.Prices", folder.resolve("gone").toString(), "does not exist");
    }

    @Test
    void parametersWithoutNamesAreMisuse(@TempDir Path folder) throws Exception {
        String path = Compiled.classes(folder, "com.example.Prices", PRICES).toString();
        assertMisuse("com.example.Prices", path, "compile it with -parameters");
    }

    private static void assertMisuse(String spec, String path, String part) {
        Misuse misuse = assertThrows(
                Misuse.class, () -> BridgeEndpoint.load(new String[] {spec}, ToolClasses.of(new String[] {path})).close());
        assertTrue(misuse.getMessage().contains(part), misuse.getMessage());
    }
}
