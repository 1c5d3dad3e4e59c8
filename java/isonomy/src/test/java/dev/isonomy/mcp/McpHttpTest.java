// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.contract.Effect;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.ToolResponse;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What HTTP brings in place of a reply, or with it (clauses 14.11, 14.12, 14.21 and 14.22). */
@Timeout(60)
final class McpHttpTest {

    private static final long SOON = TimeUnit.SECONDS.toNanos(2);

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
            Scripted.check(ErrorKind.CONNECTION_LOST, message, Effect.POSSIBLE, details, scripted.call(tool));
            assertTrue(System.nanoTime() - began < SOON);
            assertEquals("hello", scripted.call("text").unwrap());
            assertEquals(1, scripted.calls(tool).size());
        }
    }

    @Test
    void whatHttpBringsWithAReply() throws Exception {
        try (Scripted scripted = Scripted.start(Scripted.HTTP)) {
            Map<String, Object> details = Map.of("code", -32602L, "data", Map.of("a", 1L));
            Scripted.check(ErrorKind.PROTOCOL, "bad id", Effect.POSSIBLE, details, scripted.call("json_error_400"));
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

    /** Said as it is, and not repeated; the next call begins another session. */
    @Test
    void aSessionThatSomeRefuseOtherwise() throws Exception {
        try (Scripted scripted = Scripted.start(Scripted.HTTP)) {
            ToolResponse refused = scripted.call("json_error_400");
            assertEquals(ErrorKind.PROTOCOL, refused.error().kind());
            assertEquals("bad id", refused.error().message());
            assertEquals(1, scripted.sent("initialize").size());
            assertEquals("hello", scripted.call("text").unwrap());
            assertEquals(2, scripted.sent("initialize").size());
            assertEquals(1, scripted.calls("json_error_400").size());
        }
    }

    @Test
    void anyStatusOfTheClientsFaultEndsASession() throws Exception {
        try (Scripted scripted = Scripted.start(Scripted.HTTP)) {
            assertFalse(scripted.call("status_401").isSuccess());
            assertEquals(1, scripted.sent("initialize").size());
            assertEquals("hello", scripted.call("text").unwrap());
            assertEquals(2, scripted.sent("initialize").size());
        }
    }
}
