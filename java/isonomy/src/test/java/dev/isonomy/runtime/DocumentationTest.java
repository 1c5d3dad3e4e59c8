// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.contract.ToolCall;
import dev.isonomy.contract.ToolRequest;
import dev.isonomy.contract.ToolResponse;
import dev.isonomy.tools.BoundTool;
import dev.isonomy.tools.Tool;
import dev.isonomy.tools.ToolRegistry;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The examples of the documentation of tools and executors, as they stand there. */
final class DocumentationTest {

    public static final class Prices {
        @Tool(description = "Add two integers.")
        public static long add(long a, long b) {
            return Math.addExact(a, b);
        }

        @Tool
        public static int price(String sku) {
            return sku.length();
        }
    }

    public static final class Stock {
        private final String connection;

        Stock(String connection) {
            this.connection = connection;
        }

        @Tool
        public String connection() {
            return connection;
        }
    }

    private static final BoundTool ECHO = BoundTool.named("echo")
            .schema(Map.of("type", "object", "properties", Map.of("text", Map.of("type", "string"))))
            .body((arguments, context) -> arguments.get("text"));

    @Test
    void anExecutor() throws InterruptedException {
        try (ToolExecutor executor = ToolExecutor.of(Prices.class)) {
            ToolResponse response = executor.call("price", Map.of("sku", "a1"));
            assertEquals(2, response.unwrap());
            assertEquals(3L, executor.call("add", Map.of("a", 1, "b", 2)).unwrap());
        }
    }

    @Test
    void aRegistry() throws InterruptedException {
        String connection = "open";
        ToolRegistry tools = ToolRegistry.of(Prices.class, new Stock(connection), ECHO);
        try (ToolExecutor executor = ToolExecutor.builder().registry(tools).build()) {
            assertEquals("open", executor.call("connection", Map.of()).unwrap());
            assertEquals("hi", executor.call("echo", Map.of("text", "hi")).unwrap());
        }
    }

    @Test
    void options() throws InterruptedException {
        ToolRequest request = ToolRequest.of(ToolCall.of("echo", Map.of()), ToolCall.of("echo", Map.of()));
        try (ToolExecutor executor = ToolExecutor.of(ECHO)) {
            executor.run(request, BatchOptions.inParallel(4).withDeadline(Duration.ofSeconds(10)))
                    .records()
                    .forEach(each -> assertTrue(each.response().isSuccess()));
        }
    }
}
