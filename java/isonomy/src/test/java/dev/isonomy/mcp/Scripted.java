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
    private static final String SCRIPTED = "scripted.py";
    private static final String RAW = "raw.py";

    final McpServer server;
    final ToolExecutor executor;
    private final Path log;
    private final Process process;
    /** Where a server listens that is reached by HTTP. */
    final int port;

    private Scripted(Path log, McpServer server, Process process, int port) {
        this.log = log;
        this.server = server;
        this.process = process;
        this.port = port;
        this.executor = ToolExecutor.of(server.tools());
    }

    static Scripted start(String by) throws IOException {
        return start(by, Map.of(), settings -> settings);
    }

    static Scripted start(String by, Map<String, String> environment, UnaryOperator<McpServerBuilder> settings)
            throws IOException {
        return start(SCRIPTED, by, environment, settings);
    }

    /** The server that answers byte by byte; by standard streams it speaks 2026-07-28. */
    static Scripted raw(String by, String start, UnaryOperator<McpServerBuilder> settings) throws IOException {
        return start(RAW, by, Map.of("RAW_START", start), settings);
    }

    private static Scripted start(
            String script, String by, Map<String, String> environment, UnaryOperator<McpServerBuilder> settings)
            throws IOException {
        String path = Path.of("..", "..", "tests", "mcp", script).toAbsolutePath().normalize().toString();
        Path log = Files.createTempFile("scripted", ".log");
        log.toFile().deleteOnExit();
        if (by.equals(STDIO)) {
            McpServerBuilder builder =
                    McpServer.command(PYTHON, path, log.toString(), by).name("scripted").environment(environment);
            return new Scripted(log, settings.apply(builder).start(), null, 0);
        }
        ProcessBuilder started = new ProcessBuilder(PYTHON, path, log.toString(), HTTP)
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        started.environment().putAll(environment);
        Process process = started.start();
        BufferedReader said = process.inputReader(StandardCharsets.UTF_8);
        int port = Integer.parseInt(said.readLine());
        McpServerBuilder builder = McpServer.url("http://127.0.0.1:" + port + "/mcp")
                .name("scripted")
                .header("Authorization", "Bearer of-the-test");
        try {
            return new Scripted(log, settings.apply(builder).start(), process, port);
        } catch (McpUnavailable unavailable) {
            process.destroyForcibly();
            throw unavailable;
        }
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

    /** The headers that came with the messages of a method, in order. */
    List<JsonNode> headers(String method) throws IOException {
        List<JsonNode> headers = new ArrayList<>();
        for (String line : Files.readAllLines(log)) {
            JsonNode note = Vectors.JSON.readTree(line);
            if (note.at("/message/method").asText().equals(method)) {
                headers.add(note.path("headers"));
            }
        }
        return headers;
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

    /** Ends a server that is reached by HTTP. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        awaitEnd();
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
