// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.contract.Effect;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Language;
import dev.isonomy.contract.Progress;
import dev.isonomy.contract.ToolCall;
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

/** Calls of tools of servers, and what comes beside their replies (clauses 14.8 to 14.10 and 14.14 to 14.16). */
@Timeout(60)
final class McpCallsTest {

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
            arguments.put("deep", nested(124));
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
            Scripted.check(ErrorKind.TOOL_ERROR, "boom", Effect.POSSIBLE, Map.of("code", "RATE"), failure);
            assertEquals(Language.MCP, failure.error().language());
            Scripted.check(
                    ErrorKind.PROTOCOL,
                    "bad id",
                    Effect.POSSIBLE,
                    Map.of("code", -32602L, "data", Map.of("field", "id")),
                    scripted.call("rpc_error"));
            assertEquals("input_required", scripted.call("input_required").error().code());
            Scripted.check(
                    ErrorKind.PROTOCOL,
                    "the reply is malformed: it is no JSON object",
                    Effect.POSSIBLE,
                    null,
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
    @CsvSource({"stdio,size", "stdio,size_id_last", "http,size", "http,size_id_last"})
    void repliesUpToTheCap(String by, String tool) throws Exception {
        try (Scripted scripted = Scripted.start(by, Map.of(), each -> each.maxReply(2_000_000))) {
            for (int size : new int[] {65_535, 65_537, 1_000_000}) {
                assertEquals(size, ((String) scripted.call(tool, Map.of("bytes", size)).unwrap()).length());
            }
            Scripted.check(
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
            Scripted.check(ErrorKind.NOT_FOUND, "no tool named \"vanishes\"", Effect.NONE, null, scripted.call("vanishes"));
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

    /** What this host says itself of these kinds holds no values; what a server says may (clause 12.6). */
    @ParameterizedTest
    @ValueSource(strings = {
        "invalid_arguments", "not_found", "not_run", "timeout", "too_large", "result_conversion"
    })
    void theWordsOfAnotherHostAreNotOurs(String kind) throws Exception {
        String error = """
                {"kind":"%s","message":"password=hunter2","effect":"none","language":"python",\
                "details":{"token":"hunter2","at":"postgres://u:hunter2@h"},\
                "causes":[{"type":"E","message":"pwd: hunter2","language":"java"}],\
                "trace":"Authorization: Bearer hunter2"}""".formatted(kind);
        String reply = """
                {"jsonrpc":"2.0","id":7,"result":{"content":[],"isError":true,"_meta":{"dev.isonomy/error":%s}}}"""
                .formatted(error);
        try (Scripted scripted = Scripted.start(Scripted.STDIO)) {
            ToolResponse response = scripted.call("raw", Map.of("reply", reply));
            Scripted.check(
                    ErrorKind.valueOf(kind.toUpperCase(java.util.Locale.ROOT)),
                    "password=[redacted]",
                    Effect.NONE,
                    Map.of("token", "[redacted]", "at", "postgres://[redacted]@h"),
                    response);
            assertEquals("pwd: [redacted]", response.error().causes().get(0).message());
            assertEquals("Authorization: Bearer [redacted]", response.error().trace());
        }
    }
}
