// SPDX-License-Identifier: Apache-2.0
package com.acme;

import dev.isonomy.contract.ToolFailed;
import dev.isonomy.contract.ToolResponse;
import dev.isonomy.tools.Injected;
import dev.isonomy.tools.Tool;
import dev.isonomy.tools.ToolContext;
import dev.isonomy.tools.ToolParam;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Static tools: what they take, return and throw. */
public final class Prices {
    public record Item(String sku, int quantity, Optional<BigDecimal> price) {}

    public record Quote(String customer, BigDecimal total, List<String> skus) {}

    private Prices() {}

    @Tool(description = "The total of an order.", version = "2", maxParallel = 8, deadlineMs = 60_000)
    public static Quote quote(
            String customer, @ToolParam(description = "What is ordered.") List<Item> items) {
        BigDecimal total = BigDecimal.ZERO;
        for (Item item : items) {
            total = total.add(item.price().orElse(BigDecimal.ONE).multiply(BigDecimal.valueOf(item.quantity())));
        }
        return new Quote(customer, total, items.stream().map(Item::sku).toList());
    }

    @Tool
    public static ToolResponse refuse(String reason) {
        return ToolResponse.failure(reason).code("REFUSED").retryable(false).details(Map.of("limit", 3)).build();
    }

    @Tool
    public static Object giveUp(String reason) {
        throw new ToolFailed(reason);
    }

    @Tool
    public static Object fail(String message) {
        throw new IllegalStateException(
                message,
                new RuntimeException("level 1", new IllegalArgumentException("level 2", new NullPointerException("level 3"))));
    }

    @Tool
    public static Object parse(String number) {
        return Integer.parseInt(number);
    }

    @Tool
    public static CompletionStage<Integer> later(int number) {
        return CompletableFuture.supplyAsync(() -> 100 / number);
    }

    @Tool
    public static Map<String, Object> whoAsks(
            String question, @Injected(name = "tenant", identity = true, secret = false) String tenant, @Injected Long limit) {
        return Map.of("question", question, "tenant", tenant, "limit", limit);
    }

    @Tool
    public static Map<String, Object> context(ToolContext context) {
        context.progress(1, 2.0, "half");
        context.progress(2);
        return Map.of(
                "call_id", Optional.ofNullable(context.callId()),
                "tool", context.tool(),
                "attempt", context.attempt(),
                "remaining_ms", context.remaining().map(java.time.Duration::toMillis),
                "cancelled", context.cancelled(),
                "logger", context.logger().getName(),
                "class_loader", Thread.currentThread().getContextClassLoader().getName());
    }

    public static int unmarked(int number) {
        return number + 1;
    }
}
