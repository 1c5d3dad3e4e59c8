// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.contract.Effect;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.ToolError;
import dev.isonomy.contract.ToolResponse;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers that are right or wrong byte by byte (clauses 14.11, 14.14, 14.20, 14.21 and 14.22). */
@Timeout(60)
final class McpRawTest {

    private static Scripted start() throws Exception {
        return Scripted.raw(Scripted.HTTP, "", each -> each.maxReply(1_000_000));
    }

    private static void goesOn(Scripted scripted, String tool) throws Exception {
        assertEquals("plain", scripted.call("plain").unwrap());
        assertEquals(1, scripted.calls(tool).size());
        assertEquals(1, scripted.sent("initialize").size());
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "chunked", "http_1_0", "without_length", "sse_lf", "sse_cr", "sse_crlf", "sse_chunked", "twice", "early_hints",
        "odd_session", "odd_requests", "pings"
    })
    void oddAndRight(String tool) throws Exception {
        try (Scripted scripted = start()) {
            assertEquals(tool, scripted.call(tool).unwrap());
            goesOn(scripted, tool);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "chunked_cut", "chunked_without_end", "chunked_broken", "sse_unfinished", "no_content", "empty", "nobody",
        "half_a_head", "no_http", "endless_head", "reset", "half"
    })
    void whatBreaksTheConnection(String tool) throws Exception {
        try (Scripted scripted = start()) {
            Scripted.check(
                    ErrorKind.CONNECTION_LOST,
                    "the connection to the MCP server \"scripted\" broke",
                    Effect.POSSIBLE,
                    null,
                    scripted.call(tool, Map.of(), Duration.ofSeconds(20)));
            goesOn(scripted, tool);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "blank", "batch", "sse_broken"})
    void whatIsNoReply(String tool) throws Exception {
        try (Scripted scripted = start()) {
            Scripted.check(
                    ErrorKind.PROTOCOL,
                    "the reply is malformed: it is no JSON object",
                    Effect.POSSIBLE,
                    null,
                    scripted.call(tool));
            goesOn(scripted, tool);
        }
    }

    @Test
    void whatHasNoIdIsTheAnswer() throws Exception {
        try (Scripted scripted = start()) {
            Scripted.check(
                    ErrorKind.PROTOCOL,
                    "the reply is malformed: it has neither a result nor an error",
                    Effect.POSSIBLE,
                    Map.of("reply", Map.of("detail", "overloaded")),
                    scripted.call("without_id"));
            Scripted.check(
                    ErrorKind.PROTOCOL, "Parse error", Effect.POSSIBLE, Map.of("code", -32700L), scripted.call("null_id"));
        }
    }

    @ParameterizedTest
    @CsvSource({"redirect,307", "too_long,502"})
    void statuses(String tool, long status) throws Exception {
        try (Scripted scripted = start()) {
            Scripted.check(
                    ErrorKind.CONNECTION_LOST,
                    "the MCP server \"scripted\" answered with status " + status,
                    Effect.POSSIBLE,
                    Map.of("status", status),
                    scripted.call(tool));
            goesOn(scripted, tool);
        }
    }

    /** What comes drop by drop prolongs nothing, and the stream is closed. */
    @ParameterizedTest
    @ValueSource(strings = {"comments", "drips", "drips_head", "never"})
    void deadlinesHold(String tool) throws Exception {
        try (Scripted scripted = start()) {
            long began = System.nanoTime();
            ToolResponse late = scripted.call(tool, Map.of(), Duration.ofMillis(400));
            assertEquals(ErrorKind.TIMEOUT, late.error().kind());
            assertTrue(System.nanoTime() - began < TimeUnit.SECONDS.toNanos(10));
            while (scripted.sent("notifications/cancelled").isEmpty()) {
                Thread.sleep(5);
            }
            goesOn(scripted, tool);
        }
    }

    @Test
    void twoHundredCallsAtOnce() throws Exception {
        try (Scripted scripted = start()) {
            List<CompletableFuture<ToolResponse>> calls = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                calls.add(scripted.executor.callAsync("wait", Map.of("seconds", 0.3)));
            }
            for (CompletableFuture<ToolResponse> call : calls) {
                assertEquals("waited", call.get(30, TimeUnit.SECONDS).unwrap());
            }
            goesOn(scripted, "plain");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "drips,it did not answer initialize in 2.5 seconds",
        "pages,it did not answer tools/list in 2.5 seconds",
        "refuses,it does not answer initialize as it should: no such method: initialize",
        "revision,it speaks the revision \"2099-01-01\"",
    })
    void aServerThatDoesNotBeginWell(String how, String why) {
        long began = System.nanoTime();
        McpUnavailable unavailable = assertThrows(
                McpUnavailable.class,
                () -> Scripted.raw(Scripted.HTTP, how, each -> each.startTimeout(Duration.ofMillis(2_500))));
        assertEquals("the MCP server \"scripted\" cannot be reached: " + why, unavailable.getMessage());
        assertTrue(System.nanoTime() - began < TimeUnit.SECONDS.toNanos(10));
    }

    @Test
    void aNewSessionThatIsNotKnownEither() throws Exception {
        try (Scripted scripted = Scripted.raw(Scripted.HTTP, "forgets", each -> each)) {
            String why = "the MCP server \"scripted\" cannot be reached: it knows no session that it has just begun";
            Scripted.check(ErrorKind.CONNECTION_LOST, why, Effect.NONE, null, scripted.call("plain"));
            assertEquals(2, scripted.calls("plain").size());
            Scripted.check(ErrorKind.CONNECTION_LOST, why, Effect.NONE, null, scripted.call("plain"));
            assertEquals(4, scripted.calls("plain").size());
        }
    }

    /** A connect that is refused in a session that there is has the pause of clause 14.13 as well. */
    @Test
    void aServerThatIsGone() throws Exception {
        try (Scripted scripted = start()) {
            scripted.kill();
            ToolError first = scripted.call("plain").error();
            while (first.effect() == Effect.POSSIBLE) { // a connection that was still open broke
                first = scripted.call("plain").error();
            }
            assertEquals(ErrorKind.CONNECTION_LOST, first.kind());
            try (ServerSocket socket = new ServerSocket(scripted.port)) {
                assertEquals(first.message(), scripted.call("plain").error().message());
                socket.setSoTimeout(1);
                assertThrows(SocketTimeoutException.class, socket::accept);
                while (!isReached(socket)) {
                    scripted.executor.callAsync("plain", Map.of());
                    Thread.sleep(20);
                }
            }
        }
    }

    private static boolean isReached(ServerSocket socket) throws IOException {
        try {
            socket.accept().close();
            return true;
        } catch (SocketTimeoutException notYet) {
            return false;
        }
    }
}
