// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.isonomy.contract.Effect;
import dev.isonomy.contract.ErrorKind;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Revision 2026-07-28, which knows no sessions (clauses 14.10 and 14.19). */
@Timeout(60)
final class McpStatelessTest {

    private static final String VERSION = "io.modelcontextprotocol/protocolVersion";

    private static Scripted start(String by) throws IOException {
        return Scripted.raw(by, "stateless", each -> each);
    }

    @ParameterizedTest
    @ValueSource(strings = {Scripted.STDIO, Scripted.HTTP})
    void whatEveryRequestHas(String by) throws Exception {
        try (Scripted scripted = start(by)) {
            assertEquals("plain", scripted.call("plain").unwrap());
            assertTrue(scripted.sent("initialize").get(0).at("/params/_meta").isMissingNode());
            for (String method : List.of("server/discover", "subscriptions/listen", "tools/list", "tools/call")) {
                List<JsonNode> sent = scripted.sent(method);
                assertEquals(1, sent.size(), method);
                JsonNode meta = sent.get(0).path("params").path("_meta");
                assertEquals("2026-07-28", meta.path(VERSION).asText(), method);
                assertEquals("isonomy", meta.path("io.modelcontextprotocol/clientInfo").path("name").asText());
                assertTrue(meta.path("io.modelcontextprotocol/clientCapabilities").isObject());
            }
            assertEquals(List.of(), scripted.sent("notifications/initialized"));
        }
    }

    /** A server that refuses what has not all that the revision wants. */
    @ParameterizedTest
    @ValueSource(strings = {Scripted.STDIO, Scripted.HTTP})
    void callsOfAStrictServer(String by) throws Exception {
        try (Scripted scripted = Scripted.start(by, Map.of("SCRIPTED_START", "stateless"), each -> each)) {
            assertEquals("hello", scripted.call("text").unwrap());
            assertEquals("boom", scripted.call("is_error").error().message());
            assertEquals("-32602", scripted.call("rpc_error").error().code());
            Map<String, String> arguments = Map.of("region", "eu west");
            assertEquals(arguments, scripted.call("echo", arguments).unwrap());
            assertEquals("done", scripted.call("progress").unwrap());
            assertEquals(1, scripted.sent("initialize").size());
        }
    }

    @Test
    void headers() throws Exception {
        try (Scripted scripted = start(Scripted.HTTP)) {
            Map<String, Object> arguments = Map.of("region", "K\u00f6ln", "deep", Map.of("count", 7), "bad", 1.5);
            assertEquals("marked", scripted.call("marked", arguments).unwrap());
            JsonNode told = scripted.headers("tools/call").get(0);
            assertEquals("2026-07-28", told.path("mcp-protocol-version").asText());
            assertEquals("tools/call", told.path("mcp-method").asText());
            assertEquals("marked", told.path("mcp-name").asText());
            assertEquals("=?base64?S8O2bG4=?=", told.path("mcp-param-region").asText());
            assertEquals("7", told.path("mcp-param-count").asText());
            assertFalse(told.has("mcp-param-bad"));
            assertFalse(told.has("mcp-session-id"));
            assertEquals("tools/list", scripted.headers("tools/list").get(0).path("mcp-method").asText());
            assertFalse(scripted.headers("initialize").get(0).has("mcp-method"));
            assertEquals("plain", scripted.call("plain").unwrap());
            assertFalse(scripted.headers("tools/call").get(1).has("mcp-param-region"));
        }
    }

    @Test
    void valuesOfHeaders() {
        for (String as : List.of("", "us-west 1", "~", "=?base64?", "a\"b")) {
            assertEquals(as, Stateless.encoded(as));
        }
        assertEquals("=?base64?IGE=?=", Stateless.encoded(" a"));
        assertEquals("=?base64?YQo=?=", Stateless.encoded("a\n"));
        assertEquals("=?base64?PT9iYXNlNjQ/YT89?=", Stateless.encoded("=?base64?a?="));
        Map<String, Object> property = Map.of("type", "integer", "x-mcp-header", "N");
        MarkedArguments marked = new MarkedArguments(Map.of("properties", Map.of("n", property)));
        Stream.of(7L, 7.0, 1e20).forEach(each -> assertEquals(
                new java.math.BigDecimal(each.toString()).toBigInteger().toString(),
                marked.headers(Map.of("n", each)).get("Mcp-Param-N")));
        assertEquals(Map.of("Mcp-Param-N", "true"), marked.headers(Map.of("n", true)));
        for (Object none : List.of(List.of(1L), Map.of(), Double.NaN)) {
            assertEquals(Map.of(), marked.headers(Map.of("n", none)));
        }
        assertEquals(Map.of(), marked.headers(Map.of()));
    }

    @ParameterizedTest
    @ValueSource(strings = {Scripted.STDIO, Scripted.HTTP})
    void theListIsKeptCurrent(String by) throws Exception {
        try (Scripted scripted = start(by)) {
            assertEquals(by.equals(Scripted.HTTP) ? "changed" : "change", scripted.call("change").unwrap());
            // By HTTP the notice comes on another connection than the reply.
            while (scripted.call("plain").isSuccess()) {
                Thread.sleep(5);
            }
            Scripted.check(ErrorKind.NOT_FOUND, "no tool named \"plain\"", Effect.NONE, null, scripted.call("plain"));
            assertEquals(2, scripted.sent("tools/list").size());
        }
    }

    @Test
    void theEndOfTheStreamIsTheNotice() throws Exception {
        try (Scripted scripted = start(Scripted.HTTP)) {
            assertEquals(
                    ErrorKind.TIMEOUT,
                    scripted.call("never", Map.of(), Duration.ofMillis(300)).error().kind());
            while (scripted.notes("{\"closed\": \"never\"}").isEmpty()) {
                Thread.sleep(5);
            }
            assertEquals("plain", scripted.call("plain").unwrap());
            assertEquals(List.of(), scripted.sent("notifications/cancelled"));
        }
    }

    @Test
    void overStandardStreamsThereIsANotice() throws Exception {
        try (Scripted scripted = start(Scripted.STDIO)) {
            assertEquals(
                    ErrorKind.TIMEOUT,
                    scripted.call("never", Map.of(), Duration.ofMillis(300)).error().kind());
            while (scripted.sent("notifications/cancelled").isEmpty()) {
                Thread.sleep(5);
            }
            assertEquals("plain", scripted.call("plain").unwrap());
        }
    }

    @Test
    void closingEndsTheSubscription() throws Exception {
        try (Scripted scripted = start(Scripted.HTTP)) {
            scripted.server.close();
            while (scripted.notes("{\"closed\": \"listen\"}").isEmpty()) {
                Thread.sleep(5);
            }
            assertEquals(List.of(), scripted.notes("DELETE"));
        }
    }
}
