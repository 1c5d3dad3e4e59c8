// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.isonomy.contract.Effect;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Language;
import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.Progress;
import dev.isonomy.contract.ToolCall;
import dev.isonomy.contract.ToolError;
import dev.isonomy.contract.ToolResponse;
import dev.isonomy.runtime.ToolExecutor;
import dev.isonomy.tools.BoundTool;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls of tools of servers that do what real ones do wrong (clauses 14.8 to 14.17). */
@Timeout(60)
final class McpServerTest {

    private static final long SOON = TimeUnit.SECONDS.toNanos(2);

    private static void check(ErrorKind kind, String message, Effect effect, Object details, ToolResponse response) {
        assertFalse(response.isSuccess(), () -> "a success: " + response.unwrap());
        ToolError error = response.error();
        assertEquals(message, error.message());
        assertEquals(kind, error.kind());
        assertEquals(effect, error.effect());
        assertEquals(details, error.details());
    }

    @ParameterizedTest
    @ValueSource(strings = {Scripted.STDIO, Scripted.HTTP})
    void aCallAndItsResult(String by) throws Exception {
        try (Scripted scripted = Scripted.start(by)) {
            Map<String, Object> arguments = new java.util.LinkedHashMap<>();
            arguments.put("text", "\u00e9\ud83d\ude00\ud800");
            arguments.put("$iso:bytes", "AA==");
            arguments.put("none", null);
            arguments.put("big", BigInteger.TWO.pow(80));
            arguments.put("list", List.of(1L, 1.5, Map.of()));
            arguments.put("deep", nested(127));
            assertEquals(arguments, scripted.call("echo", arguments).unwrap());
            assertEquals("hello", scripted.call("text").unwrap());
            BoundTool tool = scripted.server.tools().get(0);
            assertEquals(Language.MCP, tool.spec().language());
            assertEquals("scripted", tool.spec().server());
        }
    }

    /** Lists in each other. */
    private static Object nested(int depth) {
        Object nested = "core";
        for (int i = 0; i < depth; i++) {
            nested = List.of(nested);
        }
        return nested;
    }

    @ParameterizedTest
    @ValueSource(strings = {Scripted.STDIO, Scripted.HTTP})
    void failuresOfToolsAndOfTheProtocol(String by) throws Exception {
        try (Scripted scripted = Scripted.start(by)) {
            ToolResponse failure = scripted.call("is_error");
            check(ErrorKind.TOOL_ERROR, "boom", Effect.POSSIBLE, Map.of("code", "RATE"), failure);
            assertEquals(Language.MCP, failure.error().language());
            check(
                    ErrorKind.PROTOCOL,
                    "bad id",
                    Effect.POSSIBLE,
                    Map.of("code", -32602L, "data", Map.of("field", "id")),
                    scripted.call("rpc_error"));
            assertEquals("input_required", scripted.call("input_required").error().code());
            check(
                    ErrorKind.PROTOCOL,
                    "the reply is malformed: it has neither a result nor an error",
                    Effect.POSSIBLE,
                    Map.of("reply", Map.of()),
                    scripted.call("broken_reply"));
            assertEquals("ok", scripted.call("text_id").unwrap());
            assertEquals(1, scripted.sent("initialize").size());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {Scripted.STDIO, Scripted.HTTP})
    void whatOnlyALenientReaderTakes(String by) throws Exception {
        try (Scripted scripted = Scripted.start(by)) {
            Map<?, ?> numbers = (Map<?, ?>) scripted.call("not_numbers").unwrap();
            assertEquals(Double.NaN, numbers.get("a"));
            assertEquals(new BigInteger("12345678901234567890"), numbers.get("b"));
            assertEquals(Double.NEGATIVE_INFINITY, numbers.get("c"));
        }
    }

    @Test
    void argumentsAreJudgedHere() throws Exception {
        try (Scripted scripted = Scripted.start(Scripted.STDIO)) {
            assertEquals(
                    "arguments: expected object",
                    scripted.executor.call(new ToolCall(null, "echo", "[1]"), null).error().message());
            assertEquals(ErrorKind.NOT_FOUND, scripted.call("nope").error().kind());
            assertEquals(List.of(), scripted.sent("tools/call"));
        }
    }

    @Test
    void linesThatAreNoMessages() throws Exception {
        try (Scripted scripted = Scripted.start(Scripted.STDIO, Map.of("SCRIPTED_START", "garbage"), each -> each)) {
            assertEquals("after garbage", scripted.call("garbage").unwrap());
            assertEquals("asked", scripted.call("asks").unwrap());
            assertEquals("hello", scripted.call("text").unwrap());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"die", "orphan"})
    void aServerThatIsKilled(String tool) throws Exception {
        try (Scripted scripted = Scripted.start(Scripted.STDIO)) {
            long began = System.nanoTime();
            check(
                    ErrorKind.CONNECTION_LOST,
                    "the MCP server \"scripted\" ended (signal SIGKILL)",
                    Effect.POSSIBLE,
                    Map.of("signal", "SIGKILL"),
                    scripted.call(tool));
            assertTrue(System.nanoTime() - began < SOON);
            assertEquals("hello", scripted.call("text").unwrap());
            assertEquals(1, scripted.calls(tool).size());
            assertEquals(2, scripted.sent("initialize").size());
        }
    }

    @Test
    void aServerThatEnds() throws Exception {
        try (Scripted scripted = Scripted.start(Scripted.STDIO)) {
            check(
                    ErrorKind.CONNECTION_LOST,
                    "the MCP server \"scripted\" ended (exit code 3)",
                    Effect.POSSIBLE,
                    Map.of("exit_code", 3L),
                    scripted.call("exit"));
            check(
                    ErrorKind.CONNECTION_LOST,
                    "the MCP server \"scripted\" ended (the connection broke)",
                    Effect.POSSIBLE,
                    null,
                    scripted.call("close_output"));
            assertEquals("hello", scripted.call("text").unwrap());
        }
    }

    @Test
    void aServerThatIsKilledByHttp() throws Exception {
        try (Scripted scripted = Scripted.start(Scripted.HTTP)) {
            check(
                    ErrorKind.CONNECTION_LOST,
                    "the connection to the MCP server \"scripted\" broke",
                    Effect.POSSIBLE,
                    null,
                    scripted.call("die"));
            scripted.awaitEnd();
            ToolError error = scripted.call("text").error();
            assertEquals(ErrorKind.CONNECTION_LOST, error.kind());
            assertEquals(Effect.NONE, error.effect());
            assertTrue(error.message().startsWith("the MCP server \"scripted\" cannot be reached: "));
        }
    }

    @Test
    void allCallsOfAServerThatIsKilledEnd() throws Exception {
        try (Scripted scripted = Scripted.start(Scripted.STDIO)) {
            List<CompletableFuture<ToolResponse>> waiting = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                waiting.add(scripted.executor.callAsync("never", Map.of()));
            }
            while (scripted.calls("never").size() < 8) {
                Thread.sleep(5);
            }
            assertEquals(ErrorKind.CONNECTION_LOST, scripted.call("die").error().kind());
            for (CompletableFuture<ToolResponse> each : waiting) {
                assertEquals(ErrorKind.CONNECTION_LOST, each.get(5, TimeUnit.SECONDS).error().kind());
            }
        }
    }

    /** In any order, some twice, some for nobody. */
    @ParameterizedTest
    @ValueSource(strings = {Scripted.STDIO, Scripted.HTTP})
    void fiftyCallsGetTheirOwnReplies(String by) throws Exception {
        try (Scripted scripted = Scripted.start(by)) {
            boolean together = by.equals(Scripted.STDIO);
            List<CompletableFuture<ToolResponse>> calls = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                calls.add(together
                        ? scripted.executor.callAsync("together", Map.of("i", i, "of", 50))
                        : scripted.executor.callAsync("slow", Map.of("seconds", 0.2)));
            }
            for (int i = 0; i < 50; i++) {
                assertEquals(together ? Integer.toString(i) : "late", calls.get(i).get(20, TimeUnit.SECONDS).unwrap());
            }
            assertEquals(1, scripted.sent("initialize").size());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {Scripted.STDIO, Scripted.HTTP})
    void aDeadlineSendsOneNotice(String by) throws Exception {
        try (Scripted scripted = Scripted.start(by)) {
            ToolResponse late = scripted.call("slow", Map.of("seconds", 0.6), Duration.ofMillis(200));
            assertEquals(ErrorKind.TIMEOUT, late.error().kind());
            while (scripted.sent("notifications/cancelled").isEmpty()) {
                Thread.sleep(5);
            }
            Thread.sleep(600); // the late reply comes meanwhile
            assertEquals("hello", scripted.call("text").unwrap());
            List<JsonNode> notices = scripted.sent("notifications/cancelled");
            assertEquals(1, notices.size());
            assertEquals(
                    scripted.calls("slow").get(0).path("id"), notices.get(0).path("params").path("requestId"));
            assertEquals(1, scripted.sent("initialize").size());
        }
    }

    /** What it does not read must not hold the thread that waits for it, nor the end of the session. */
    @Test
    void aServerThatDoesNotRead() throws Exception {
        String script =
                """
                import json, sys, time
                for line in sys.stdin.buffer:
                    told = json.loads(line)
                    if "id" in told:
                        result = {"protocolVersion": "2025-06-18", "tools": [{"name": "a"}]}
                        print(json.dumps({"jsonrpc": "2.0", "id": told["id"], "result": result}), flush=True)
                    if told["method"] == "tools/list":
                        time.sleep(60)
                """;
        McpServer server = McpServer.command("python3", "-c", script).name("deaf").start();
        try (ToolExecutor executor = ToolExecutor.of(server.tools())) {
            Map<String, String> large = Map.of("text", "x".repeat(1_000_000));
            for (int i = 0; i < 2; i++) {
                ToolResponse late = executor.call(ToolCall.of("a", large), Duration.ofMillis(200));
                assertEquals(ErrorKind.TIMEOUT, late.error().kind());
            }
            CompletableFuture<ToolResponse> waiting = executor.callAsync("a", Map.of());
            server.close();
            assertEquals(ErrorKind.CONNECTION_LOST, waiting.get(10, TimeUnit.SECONDS).error().kind());
        }
    }

    @Test
    void anInterruptedCallerIsACancelledCall() throws Exception {
        try (Scripted scripted = Scripted.start(Scripted.STDIO)) {
            CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
            Thread caller = new Thread(() -> {
                try {
                    scripted.call("never");
                    interrupted.complete(false);
                } catch (InterruptedException expected) {
                    interrupted.complete(true);
                }
            });
            caller.start();
            while (scripted.calls("never").isEmpty()) {
                Thread.sleep(5);
            }
            caller.interrupt();
            assertTrue(interrupted.get(10, TimeUnit.SECONDS));
            while (scripted.sent("notifications/cancelled").isEmpty()) {
                Thread.sleep(5);
            }
            assertEquals("hello", scripted.call("text").unwrap());
        }
    }

    @ParameterizedTest
    @CsvSource({"stdio,size", "stdio,size_id_last", "http,size", "http,size_id_last"})
    void repliesUpToTheCap(String by, String tool) throws Exception {
        try (Scripted scripted = Scripted.start(by, Map.of(), each -> each.maxReply(2_000_000))) {
            for (int size : new int[] {65_535, 65_537, 1_000_000}) {
                assertEquals(size, ((String) scripted.call(tool, Map.of("bytes", size)).unwrap()).length());
            }
            check(
                    ErrorKind.TOO_LARGE,
                    "the reply takes more than 2000000 bytes",
                    Effect.POSSIBLE,
                    null,
                    scripted.call(tool, Map.of("bytes", 3_000_000)));
            assertEquals("hello", scripted.call("text").unwrap());
            assertEquals(1, scripted.sent("initialize").size());
        }
    }

    @Test
    void theListIsKeptCurrent() throws Exception {
        try (Scripted scripted = Scripted.start(Scripted.STDIO)) {
            assertEquals("changed", scripted.call("change").unwrap());
            check(ErrorKind.NOT_FOUND, "no tool named \"vanishes\"", Effect.NONE, null, scripted.call("vanishes"));
            assertEquals(List.of(), scripted.calls("vanishes"));
            assertEquals(ErrorKind.INVALID_ARGUMENTS, scripted.call("echo", Map.of("a", 1)).error().kind());
            assertEquals(Map.of(), scripted.call("echo").unwrap());
            assertEquals(2, scripted.sent("tools/list").size());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {Scripted.STDIO, Scripted.HTTP})
    void progress(String by) throws Exception {
        ConcurrentLinkedQueue<Progress> steps = new ConcurrentLinkedQueue<>();
        try (Scripted scripted = Scripted.start(by);
                ToolExecutor executor = ToolExecutor.builder()
                        .tools(scripted.server.tools())
                        .sink(event -> {
                            if (event instanceof dev.isonomy.contract.ExecutionEvent told && told.progress() != null) {
                                steps.add(told.progress());
                            }
                        })
                        .build()) {
            assertEquals("done", executor.call("progress", Map.of()).unwrap());
            assertTrue(executor.flush(Duration.ofSeconds(10)));
            assertEquals(
                    List.of(
                            new Progress(1.0, 3.0, "step 1"),
                            new Progress(2.0, 3.0, "step 2"),
                            new Progress(3.0, 3.0, "step 3")),
                    List.copyOf(steps));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "status_401|the MCP server \"scripted\" answered with status 401|401",
                "status_403|the MCP server \"scripted\" answered with status 403|403",
                "status_500|the MCP server \"scripted\" answered with status 500|500",
                "status_302|the MCP server \"scripted\" answered with status 302|302",
                "accepted|the connection to the MCP server \"scripted\" broke|-",
                "cut|the connection to the MCP server \"scripted\" broke|-",
                "sse_end|the connection to the MCP server \"scripted\" broke|-",
                "sse_cut|the connection to the MCP server \"scripted\" broke|-",
            })
    void whatHttpBringsInPlaceOfAReply(String tool, String message, Long status) throws Exception {
        try (Scripted scripted = Scripted.start(Scripted.HTTP)) {
            long began = System.nanoTime();
            Object details = status == null ? null : Map.of("status", status);
            check(ErrorKind.CONNECTION_LOST, message, Effect.POSSIBLE, details, scripted.call(tool));
            assertTrue(System.nanoTime() - began < SOON);
            assertEquals("hello", scripted.call("text").unwrap());
            assertEquals(1, scripted.calls(tool).size());
        }
    }

    @Test
    void whatHttpBringsWithAReply() throws Exception {
        try (Scripted scripted = Scripted.start(Scripted.HTTP)) {
            Map<String, Object> details = Map.of("code", -32602L, "data", Map.of("a", 1L));
            check(ErrorKind.PROTOCOL, "bad id", Effect.POSSIBLE, details, scripted.call("json_error_400"));
            assertEquals(ErrorKind.PROTOCOL, scripted.call("html").error().kind());
            assertEquals("sse", scripted.call("sse").unwrap());
            assertEquals(
                    ErrorKind.TIMEOUT,
                    scripted.call("drip", Map.of(), Duration.ofMillis(500)).error().kind());
            assertEquals("hello", scripted.call("text").unwrap());
            assertFalse(scripted.notes("Bearer of-the-test").isEmpty());
            assertFalse(scripted.notes("\"mcp-protocol-version\": \"2025-11-25\"").isEmpty());
        }
    }

    @Test
    void aSessionThatIsOverIsBegunAgainOnce() throws Exception {
        try (Scripted scripted = Scripted.start(Scripted.HTTP)) {
            assertEquals("expired", scripted.call("expired").unwrap());
            assertEquals(2, scripted.sent("initialize").size());
            assertEquals(2, scripted.calls("expired").size());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {Scripted.STDIO, Scripted.HTTP})
    void closingEndsWhatWaits(String by) throws Exception {
        try (Scripted scripted = Scripted.start(by)) {
            CompletableFuture<ToolResponse> waiting = scripted.executor.callAsync("slow", Map.of("seconds", 30));
            while (scripted.calls("slow").isEmpty()) {
                Thread.sleep(5);
            }
            scripted.server.close();
            assertEquals(ErrorKind.CONNECTION_LOST, waiting.get(10, TimeUnit.SECONDS).error().kind());
            check(
                    ErrorKind.CONNECTION_LOST,
                    "the MCP server \"scripted\" cannot be reached: it was closed",
                    Effect.NONE,
                    null,
                    scripted.call("text"));
            assertEquals(by.equals(Scripted.HTTP) ? 1 : 0, scripted.notes("\"deleted\"").size());
        }
    }

    // How a session begins ------------------------------------------------------------------------

    @Test
    void whichToolsThereAre() throws Exception {
        try (Scripted pages = Scripted.start(Scripted.STDIO, Map.of("SCRIPTED_LIST", "pages"), each -> each);
                Scripted some = Scripted.start(Scripted.STDIO, Map.of(), each -> each.tools("text", "echo"));
                Scripted odd = Scripted.start(Scripted.STDIO, Map.of("SCRIPTED_LIST", "odd"), each -> each)) {
            assertEquals(List.of("echo", "is_error"), names(pages.server.tools()));
            assertEquals(List.of("text", "echo"), names(some.server.tools()));
            assertEquals(List.of("echo", "cyclic", "open"), names(odd.server.tools()));
            ToolError error = odd.call("cyclic").error();
            assertEquals(ErrorKind.PROTOCOL, error.kind());
            assertEquals(Effect.NONE, error.effect());
            assertTrue(error.message().startsWith("the tool's input schema cannot be used: "), error::message);
            assertEquals(List.of(), odd.sent("tools/call"));
        }
    }

    private static List<String> names(Iterable<BoundTool> tools) {
        List<String> names = new ArrayList<>();
        tools.forEach(tool -> names.add(tool.spec().name()));
        return names;
    }

    @ParameterizedTest
    @CsvSource({
        "SCRIPTED_LIST,many,it offers more than 10000 tools",
        "SCRIPTED_LIST,loop,the pages of its tools have no end",
        "SCRIPTED_START,revision,1999-01-01",
        "SCRIPTED_START,exit,ended (exit code 4)",
        "SCRIPTED_START,silent,it did not answer initialize in 0.5 seconds",
    })
    void aServerThatDoesNotBeginWell(String variable, String how, String why) {
        McpUnavailable unavailable = assertThrows(
                McpUnavailable.class,
                () -> Scripted.start(
                        Scripted.STDIO,
                        Map.of(variable, how),
                        each -> how.equals("silent") ? each.startTimeout(Duration.ofMillis(500)) : each));
        assertTrue(unavailable.getMessage().contains(why), unavailable::getMessage);
    }

    @Test
    void aServerThatIsNotThere() throws Exception {
        McpServerBuilder nowhere = McpServer.url("http://127.0.0.1:1/mcp");
        assertThrows(McpUnavailable.class, nowhere::start);
        McpServerBuilder missing = McpServer.command("no-such-program").name("down");
        assertThrows(McpUnavailable.class, missing::start);
        BoundTool mine = BoundTool.named("mine").schema(Map.of()).body((arguments, context) -> "done");
        try (McpServer server = missing.tools("a").start();
                ToolExecutor executor = ToolExecutor.of(server.tools(), mine)) {
            ToolError error = executor.call("a", Map.of()).error();
            assertEquals(ErrorKind.CONNECTION_LOST, error.kind());
            assertEquals(Effect.NONE, error.effect());
            assertTrue(error.message()
                    .startsWith("the MCP server \"down\" cannot be reached: no-such-program cannot be started (No"));
            assertEquals(error.message(), executor.call("a", Map.of()).error().message());
            assertEquals("done", executor.call("mine", Map.of()).unwrap());
        }
    }

    @Test
    void toolsWithOneName() throws Exception {
        BoundTool mine = BoundTool.named("text").schema(Map.of()).body((arguments, context) -> "mine");
        try (Scripted one = Scripted.start(Scripted.STDIO, Map.of(), each -> each.tools("text"));
                Scripted two = Scripted.start(Scripted.STDIO, Map.of(), each -> each.tools("text", "echo").name("two"));
                ToolExecutor executor = ToolExecutor.of(mine, one.server.tools(), two.server.tools())) {
            assertEquals(List.of("text", "scripted__text", "two__text", "echo"), names(executor.tools().all()));
            assertEquals("hello", executor.call("two__text", Map.of()).unwrap());
            assertEquals("mine", executor.call("text", Map.of()).unwrap());
            assertEquals(List.of(), one.sent("tools/call"));
            assertEquals(1, two.sent("tools/call").size());
            assertThrows(Misuse.class, () -> ToolExecutor.of(one.server.tools(), one.server.tools()));
        }
    }

    @Test
    void misuse() {
        assertThrows(Misuse.class, McpServer::command);
        assertThrows(Misuse.class, () -> McpServer.url("no address"));
        assertThrows(Misuse.class, () -> McpServer.command("a").timeout(Duration.ZERO));
        assertThrows(Misuse.class, () -> McpServer.command("a").maxReply(0));
        assertThrows(Misuse.class, () -> McpServer.url("http://localhost/").header("Host", "x\n"));
    }
}
