// SPDX-License-Identifier: Apache-2.0
import dev.isonomy.contract.ExecutionEvent;
import dev.isonomy.contract.Portable;
import dev.isonomy.contract.ToolCall;
import dev.isonomy.contract.ToolResponse;
import dev.isonomy.contract.Wire;
import dev.isonomy.mcp.McpServer;
import dev.isonomy.mcp.McpServerBuilder;
import dev.isonomy.mcp.McpUnavailable;
import dev.isonomy.runtime.ToolExecutor;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** A host in Java of one MCP server's tools, told what to do by lines of JSON: see {@code hosts.py}. */
public final class McpHost {

    private static final int MOST_STEPS = 100;
    private static final PrintStream OUT = System.out;
    private static final Map<String, Deque<Object>> STEPS = new ConcurrentHashMap<>();

    private McpHost() {}

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        McpServer server;
        try {
            server = builder(object(Portable.decodePlain(in.readLine()))).start();
        } catch (McpUnavailable unavailable) {
            say(plain(Map.of("unavailable", unavailable.getMessage())));
            return;
        }
        ExecutorService threads = Executors.newFixedThreadPool(64);
        try (ToolExecutor executor = ToolExecutor.builder()
                .tools(server.tools())
                .sink(McpHost::keep)
                .build()) {
            List<Object> tools = new ArrayList<>();
            server.tools().forEach(tool -> tools.add(List.of(
                    tool.spec().name(), tool.spec().description(), tool.spec().inputSchema())));
            say(plain(Map.of("tools", tools)));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                Map<String, Object> asked = object(Portable.decodePlain(line));
                threads.submit(() -> call(executor, asked));
            }
            server.close();
            threads.shutdown();
            threads.awaitTermination(1, TimeUnit.MINUTES);
        }
        say(plain(Map.of("closed", true)));
        System.exit(0);
    }

    private static McpServerBuilder builder(Map<String, Object> settings) {
        McpServerBuilder builder = settings.get("command") instanceof List<?> command
                ? McpServer.command(command.toArray(new String[0]))
                : McpServer.url((String) settings.get("url"));
        settings.forEach((name, value) -> {
            switch (name) {
                case "name" -> builder.name((String) value);
                case "env" -> builder.environment(texts(value));
                case "headers" -> texts(value).forEach(builder::header);
                case "timeout" -> builder.timeout(seconds(value));
                case "start_timeout" -> builder.startTimeout(seconds(value));
                case "max_reply" -> builder.maxReply(((Number) value).intValue());
                case "tools" -> builder.tools(((List<?>) value).toArray(new String[0]));
                default -> {}
            }
        });
        return builder;
    }

    private static Void call(ToolExecutor executor, Map<String, Object> asked) throws Exception {
        try {
            String id = (String) asked.get("id");
            Duration deadline = asked.get("deadline") == null ? null : seconds(asked.get("deadline"));
            long began = System.nanoTime();
            ToolResponse response =
                    executor.call(new ToolCall(id, (String) asked.get("tool"), asked.get("arguments")), deadline);
            double seconds = (System.nanoTime() - began) / 1e9;
            executor.flush(Duration.ofSeconds(10));
            List<Object> steps = new ArrayList<>(STEPS.getOrDefault(id, new ConcurrentLinkedDeque<>()));
            String wire = new String(Wire.encode(response), StandardCharsets.UTF_8);
            Map<String, Object> told = new LinkedHashMap<>();
            told.put("id", id);
            told.put("progress", steps);
            told.put("seconds", seconds);
            String rest = plain(told);
            say("{\"response\":" + wire + "," + rest.substring(1));
        } catch (Throwable broken) {
            broken.printStackTrace();
            throw broken;
        }
        return null;
    }

    private static void keep(Object event) {
        if (event instanceof ExecutionEvent told && told.progress() != null) {
            if (!STEPS.containsKey(told.callId())) {
                say(plain(Map.of("moves", told.callId())));
            }
            Deque<Object> steps = STEPS.computeIfAbsent(told.callId(), any -> new ConcurrentLinkedDeque<>());
            steps.add(Arrays.asList(
                    told.progress().progress(), told.progress().total(), told.progress().message()));
            if (steps.size() > MOST_STEPS) {
                steps.remove();
            }
        }
    }

    private static Duration seconds(Object value) {
        return Duration.ofNanos((long) (((Number) value).doubleValue() * 1e9));
    }

    private static Map<String, Object> object(Object value) {
        Map<String, Object> object = new LinkedHashMap<>();
        ((Map<?, ?>) value).forEach((key, each) -> object.put((String) key, each));
        return object;
    }

    private static Map<String, String> texts(Object value) {
        Map<String, String> texts = new LinkedHashMap<>();
        ((Map<?, ?>) value).forEach((key, each) -> texts.put((String) key, (String) each));
        return texts;
    }

    private static String plain(Object value) {
        return new String(Portable.encodePlain(value), StandardCharsets.UTF_8);
    }

    private static void say(String line) {
        synchronized (OUT) {
            byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
            OUT.write(bytes, 0, bytes.length);
            OUT.flush();
        }
    }
}
