// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.isonomy.contract.Effect;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.ToolCall;
import dev.isonomy.contract.ToolError;
import dev.isonomy.contract.ToolResponse;
import dev.isonomy.runtime.ToolExecutor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers that end, calls that nobody waits for, and sessions that are closed (clauses 14.10 and 14.11). */
@Timeout(60)
final class McpLossTest {

    private static final long SOON = TimeUnit.SECONDS.toNanos(2);

    @ParameterizedTest
    @ValueSource(strings = {"die", "orphan"})
    void aServerThatIsKilled(String tool) throws Exception {
        try (Scripted scripted = Scripted.start(Scripted.STDIO)) {
            long began = System.nanoTime();
            Scripted.check(
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
            Scripted.check(
                    ErrorKind.CONNECTION_LOST,
                    "the MCP server \"scripted\" ended (exit code 3)",
                    Effect.POSSIBLE,
                    Map.of("exit_code", 3L),
                    scripted.call("exit"));
            Scripted.check(
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
            Scripted.check(
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
    @ValueSource(strings = {Scripted.STDIO, Scripted.HTTP})
    void closingEndsWhatWaits(String by) throws Exception {
        try (Scripted scripted = Scripted.start(by)) {
            CompletableFuture<ToolResponse> waiting = scripted.executor.callAsync("slow", Map.of("seconds", 30));
            while (scripted.calls("slow").isEmpty()) {
                Thread.sleep(5);
            }
            scripted.server.close();
            assertEquals(ErrorKind.CONNECTION_LOST, waiting.get(10, TimeUnit.SECONDS).error().kind());
            Scripted.check(
                    ErrorKind.CONNECTION_LOST,
                    "the MCP server \"scripted\" cannot be reached: it was closed",
                    Effect.NONE,
                    null,
                    scripted.call("text"));
            assertEquals(by.equals(Scripted.HTTP) ? 1 : 0, scripted.notes("\"deleted\"").size());
        }
    }

    /** A server that starts a process, tells its number as its tool's name, and does not end it. */
    private static final String PARENT =
            """
            import json, os, subprocess, sys
            child = subprocess.Popen(["sleep", "60"], stdin=subprocess.DEVNULL)
            for line in sys.stdin.buffer:
                told = json.loads(line)
                if told["method"] == "tools/call":
                    os._exit(5)
                if "id" in told:
                    result = {"protocolVersion": "2025-06-18", "tools": [{"name": str(child.pid)}]}
                    print(json.dumps({"jsonrpc": "2.0", "id": told["id"], "result": result}), flush=True)
            """;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatAServerLeavesBehindIsEndedWithIt(boolean byItself) throws Exception {
        assumeTrue(
                !byItself || Files.isExecutable(Path.of("/usr/bin/setsid")),
                "what is left of a process that ended by itself is known of sessions alone");
        McpServer server = McpServer.command("python3", "-c", PARENT).name("parent").start();
        try (ToolExecutor executor = ToolExecutor.of(server.tools())) {
            String number = server.tools().get(0).spec().name();
            ProcessHandle child = ProcessHandle.of(Long.parseLong(number)).orElseThrow();
            assertTrue(child.isAlive());
            if (byItself) {
                Scripted.check(
                        ErrorKind.CONNECTION_LOST,
                        "the MCP server \"parent\" ended (exit code 5)",
                        Effect.POSSIBLE,
                        Map.of("exit_code", 5L),
                        executor.call(number, Map.of()));
            } else {
                server.close();
            }
            child.onExit().get(10, TimeUnit.SECONDS);
        } finally {
            server.close();
        }
    }
}
