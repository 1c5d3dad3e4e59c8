// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.contract.Effect;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.ToolError;
import dev.isonomy.runtime.ToolExecutor;
import dev.isonomy.tools.BoundTool;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How sessions begin, and which tools there are (clauses 14.13, 14.16, 14.17, 14.19 and 14.20). */
@Timeout(60)
final class McpStartTest {

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
        "SCRIPTED_START,drip,it did not answer initialize in 3 seconds",
        "SCRIPTED_START,refuses,it does not answer initialize as it should: initialize is not known here",
    })
    void aServerThatDoesNotBeginWell(String variable, String how, String why) {
        McpUnavailable unavailable = assertThrows(
                McpUnavailable.class,
                () -> Scripted.start(
                        Scripted.STDIO,
                        Map.of(variable, how),
                        each -> each.startTimeout(time(how))));
        assertTrue(unavailable.getMessage().contains(why), unavailable::getMessage);
    }

    private static Duration time(String how) {
        return switch (how) {
            case "silent" -> Duration.ofMillis(500);
            case "drip" -> Duration.ofSeconds(3); // in which it has to start
            default -> Duration.ofSeconds(30);
        };
    }

    @Test
    void aServerThatIsNotThere() throws Exception {
        McpServerBuilder nowhere = McpServer.url("http://127.0.0.1:1/mcp");
        assertEquals(
                "the MCP server \"127.0.0.1\" cannot be reached: Connection refused",
                assertThrows(McpUnavailable.class, nowhere::start).getMessage());
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

    @ParameterizedTest
    @CsvSource({"true,0", "exec <&-; sleep 0.1; exit 5,5"})
    void itsEndIsToldThoughItReadsNothing(String script, int code) {
        for (int round = 0; round < 5; round++) {
            McpServerBuilder brief = McpServer.command("sh", "-c", script).name("brief");
            assertEquals(
                    "the MCP server \"brief\" cannot be reached: the MCP server \"brief\" ended (exit code " + code + ")",
                    assertThrows(McpUnavailable.class, brief::start).getMessage());
        }
    }

    @Test
    void aFolderThatIsNotThere() {
        McpServerBuilder lost = McpServer.command("sh").directory(Path.of("no-such-folder"));
        assertEquals(
                "the MCP server \"sh\" cannot be reached: its working directory no-such-folder is no folder",
                assertThrows(McpUnavailable.class, lost::start).getMessage());
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
        assertThrows(Misuse.class, () -> McpServer.command("a").tools("b", null));
        assertThrows(Misuse.class, () -> McpServer.command("a").environment(Collections.singletonMap("A", null)));
        assertThrows(Misuse.class, () -> McpServer.command("a").header("A", "b").start());
        assertThrows(Misuse.class, () -> McpServer.url("http://localhost/").environment(Map.of("A", "b")).start());
        assertThrows(Misuse.class, () -> McpServer.url("http://localhost/").directory(Path.of(".")).start());
        assertThrows(Misuse.class, () -> McpServer.url("http://localhost/").header("Host", "x\n"));
    }
}
