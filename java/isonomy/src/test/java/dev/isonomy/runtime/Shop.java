// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import dev.isonomy.contract.ToolCall;
import dev.isonomy.contract.ToolResponse;
import dev.isonomy.tools.BoundTool;
import dev.isonomy.tools.ToolBuilder;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/** Tools that note that they ran. */
final class Shop {

    /** One call of each tool, and the same call twice. */
    static final List<ToolCall> CALLS = List.of(
            new ToolCall("c1", "price", Map.of("sku", "a1")),
            new ToolCall("c1", "stock", "{\"sku\": \"b22\"}"),
            call("refuse", "why", "no stock"),
            call("fail", "text", "token=abc1234567890def"),
            call("giveUp"),
            call("count"),
            call("count"),
            call("odd"));

    /** What the tools were given, in the order in which they ran. */
    final List<Object> ran = Collections.synchronizedList(new ArrayList<>());
    final AtomicLong number = new AtomicLong();

    static ToolCall call(String tool) {
        return new ToolCall(null, tool, null);
    }

    static ToolCall call(String tool, String name, Object value) {
        return new ToolCall(null, tool, Map.of(name, value));
    }

    BoundTool[] tools() {
        return new BoundTool[] {
            text("price", "sku").body((arguments, context) -> {
                ran.add(arguments.get("sku"));
                return Map.of("sku", arguments.get("sku"), "price", new BigDecimal("12.50"), "from", LocalDate.of(2026, 1, 2));
            }),
            text("stock", "sku").body((arguments, context) -> {
                ran.add(arguments.get("sku"));
                return CompletableFuture.supplyAsync(() -> ((String) arguments.get("sku")).length());
            }),
            text("refuse", "why").body((arguments, context) -> {
                ran.add(arguments.get("why"));
                return ToolResponse.failure((String) arguments.get("why"))
                        .code("NO")
                        .details(Map.of("at", LocalDate.of(2026, 1, 2)))
                        .meta(Map.of("m", 1))
                        .build();
            }),
            text("fail", "text").body((arguments, context) -> {
                ran.add(arguments.get("text"));
                throw new IllegalArgumentException((String) arguments.get("text"), new IllegalStateException("inner"));
            }),
            BoundTool.named("giveUp").body((arguments, context) -> {
                ran.add("giveUp");
                throw ToolResponse.failure("given up").retryable(true).exception();
            }),
            BoundTool.named("count").body((arguments, context) -> number.incrementAndGet()),
            BoundTool.named("odd").body((arguments, context) -> {
                ran.add("odd");
                return Map.of("lock", new Object(), "n", 1);
            }),
            BoundTool.named("large").body((arguments, context) -> {
                ran.add("large");
                return "x".repeat(5_000);
            })
        };
    }

    private static ToolBuilder text(String tool, String name) {
        return BoundTool.named(tool).schema(Map.of(
                "type", "object", "properties", Map.of(name, Map.of("type", "string")), "required", List.of(name)));
    }
}
