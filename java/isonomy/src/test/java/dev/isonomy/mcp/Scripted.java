// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import dev.isonomy.contract.Effect;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.ToolCall;
import dev.isonomy.contract.ToolError;
import dev.isonomy.contract.ToolResponse;
import dev.isonomy.runtime.ToolExecutor;
import dev.isonomy.vectors.Vectors;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** A scripted server ({@code tests/mcp/scripted.py}), its client, and what the server was sent. */
final class Scripted implements AutoCloseable {

    static final String STDIO = "stdio";
    static final String HTTP = "http";

    private static final String PYTHON = System.getProperty("isonomy.python", "python3");
    private static final String SCRIPT =
            Path.of("..", "..", "tests", "mcp", "scripted.py").toAbsolutePath().normalize().toString();

    final McpServer server;
    final ToolExecutor executor;
    private final Path log;
    private final Process process;

    private Scripted(Path log, McpServer server, Process process) {
        this.log = log;
        this.server = server;
        this.process = process;
        this.executor = ToolExecutor.of(server.tools());
    }

    static Scripted start(String by) throws IOException {
        return start(by, Map.of(), settings -> settings);
    }

    static Scripted start(String by, Map<String, String> environment, UnaryOperator<McpServerBuilder> settings)
            throws IOException {
        Path log = Files.createTempFile("scripted", ".log");
        log.toFile().deleteOnExit();
        if (by.equals(STDIO)) {
            McpServerBuilder builder =
                    McpServer.command(PYTHON, SCRIPT, log.toString()).name("scripted").environment(environment);
            return new Scripted(log, settings.apply(builder).start(), null);
        }
        ProcessBuilder started = new ProcessBuilder(PYTHON, SCRIPT, log.toString(), HTTP)
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        started.environment().putAll(environment);
        Process process = started.start();
        BufferedReader said = process.inputReader(StandardCharsets.UTF_8);
        McpServerBuilder builder = McpServer.url("http://127.0.0.1:" + said.readLine() + "/mcp")
                .name("scripted")
                .header("Authorization", "Bearer of-the-test");
        return new Scripted(log, settings.apply(builder).start(), process);
    }

    /** Fails where a response is not this failure. */
    static void check(ErrorKind kind, String message, Effect effect, Object details, ToolResponse response) {
        assertFalse(response.isSuccess(), () -> "a success: " + response.unwrap());
        ToolError error = response.error();
        assertEquals(message, error.message());
        assertEquals(kind, error.kind());
        assertEquals(effect, error.effect());
        assertEquals(details, error.details());
    }

    ToolResponse call(String tool) throws InterruptedException {
        return call(tool, Map.of());
    }

    ToolResponse call(String tool, Map<String, ?> arguments) throws InterruptedException {
        return executor.call(tool, arguments);
    }

    ToolResponse call(String tool, Map<String, ?> arguments, Duration deadline) throws InterruptedException {
        return executor.call(ToolCall.of(tool, arguments), deadline);
    }

    /** The messages of a method that the server got, in order. */
    List<JsonNode> sent(String method) throws IOException {
        List<JsonNode> messages = new ArrayList<>();
        for (String line : Files.readAllLines(log)) {
            JsonNode message = Vectors.JSON.readTree(line).path("message");
            if (message.path("method").asText().equals(method)) {
                messages.add(message);
            }
        }
        return messages;
    }

    /** The calls of a tool that the server got, in order. */
    List<JsonNode> calls(String tool) throws IOException {
        return sent("tools/call").stream()
                .filter(each -> each.path("params").path("name").asText().equals(tool))
                .toList();
    }

    /** The notes of the server that hold such a text. */
    List<String> notes(String text) throws IOException {
        return Files.readAllLines(log).stream().filter(line -> line.contains(text)).toList();
    }

    /** Waits for the end of a server that is reached by HTTP. */
    void awaitEnd() throws InterruptedException {
        process.waitFor();
    }

    @Override
    public void close() {
        executor.close();
        server.close();
        if (process != null) {
            process.destroyForcibly();
        }
    }
}
