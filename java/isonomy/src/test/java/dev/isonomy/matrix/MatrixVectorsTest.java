// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isonomy.contract.ExecutionEvent;
import dev.isonomy.contract.ResponseEvent;
import dev.isonomy.contract.ToolCall;
import dev.isonomy.contract.ToolRequest;
import dev.isonomy.contract.ToolResponse;
import dev.isonomy.mcp.McpServer;
import dev.isonomy.observe.MemorySink;
import dev.isonomy.observe.Metrics;
import dev.isonomy.runtime.BatchOptions;
import dev.isonomy.runtime.ToolExecutor;
import dev.isonomy.tools.ToolRegistry;
import dev.isonomy.vectors.ExpectedResponse;
import dev.isonomy.vectors.Fields;
import dev.isonomy.vectors.ReadsVectors;
import dev.isonomy.vectors.Vectors;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The tools of the matrix end as its vectors say, in each form, in order and side by side. */
@ReadsVectors("matrix")
final class MatrixVectorsTest {

    private static final String PYTHON = System.getProperty("isonomy.python", "python3");
    private static final String PROGRAM = Path.of("..", "..", "src", "isonomy", "matrix", "mcp_server.py")
            .toAbsolutePath()
            .normalize()
            .toString();

    @TestFactory
    Stream<DynamicTest> matrix() {
        return Vectors.tests("matrix", MatrixVectorsTest::check);
    }

    private static void check(Fields vector) {
        String name = vector.text("id").replace('-', '_');
        if ("mcp".equals(vector.json("language", null))) {
            try (McpServer server = McpServer.command(PYTHON, PROGRAM)
                    .name(name.equals("server_killed") ? "matrix-killed" : "matrix")
                    .tools("mcp_" + name)
                    .start()) {
                check(vector, Collections.nCopies(3, "mcp_" + name), () -> ToolRegistry.of(server.tools()));
            }
            return;
        }
        List<String> tools = List.of("Plain_" + camel(name), "annotated_" + name, "callable_" + name);
        check(vector, tools, () -> registry(tools.get(0)));
    }

    private static void check(Fields vector, List<String> tools, Supplier<ToolRegistry> registry) {
        Fields expected = vector.object("response");
        Fields counted = vector.object("metrics");
        for (int parallel : new int[] {1, 3}) {
            MemorySink events = new MemorySink();
            Metrics metrics = new Metrics();
            ResponseEvent event = run(tools, registry, parallel, events, metrics);
            for (int i = 0; i < tools.size(); i++) {
                int position = i;
                ToolResponse response = event.records().get(i).response();
                ExpectedResponse.check(expected, response);
                assertEquals(
                        vector.list("events"),
                        events.executions().stream()
                                .filter(each -> each.position() == position)
                                .map(ExecutionEvent::type)
                                .map(type -> type.wire())
                                .toList());
                boolean success = counted.text("status").equals("success");
                long other = success ? metrics.snapshot().failed(tools.get(i)) : metrics.snapshot().succeeded(tools.get(i));
                assertEquals(0, other);
                assertEquals(
                        (long) Collections.frequency(tools, tools.get(position)),
                        metrics.snapshot().calls().entrySet().stream()
                                .filter(each -> each.getKey().tool().equals(tools.get(position)))
                                .filter(each -> String.valueOf(counted.json("kind"))
                                        .equals(String.valueOf(
                                                each.getKey().kind() == null
                                                        ? null
                                                        : each.getKey().kind().wire())))
                                .mapToLong(Map.Entry::getValue)
                                .sum());
            }
        }
    }

    private static ToolRegistry registry(String plain) {
        List<String> specs = new ArrayList<>(List.of(
                Annotated.class.getName(), Plain.class.getName() + "#" + plain.substring("Plain_".length())));
        for (Class<?> each : Callable.class.getDeclaredClasses()) {
            if (Callable.class.isAssignableFrom(each)) {
                specs.add(each.getName());
            }
        }
        return ToolRegistry.named(MatrixVectorsTest.class.getClassLoader(), specs);
    }

    private static ResponseEvent run(
            List<String> tools, Supplier<ToolRegistry> registry, int parallel, MemorySink events, Metrics metrics) {
        try (ToolExecutor executor = ToolExecutor.builder()
                .registry(registry.get())
                .sink(events)
                .sink(metrics)
                .build()) {
            Map<String, Object> arguments = Map.of("amount", 7, "together", parallel);
            List<ToolCall> calls = tools.stream().map(tool -> ToolCall.of(tool, arguments)).toList();
            return executor.run(new ToolRequest("m", calls), BatchOptions.inParallel(parallel));
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    private static String camel(String name) {
        String joined = Arrays.stream(name.split("_"))
                .map(word -> Character.toUpperCase(word.charAt(0)) + word.substring(1))
                .collect(Collectors.joining());
        return Character.toLowerCase(joined.charAt(0)) + joined.substring(1);
    }
}
