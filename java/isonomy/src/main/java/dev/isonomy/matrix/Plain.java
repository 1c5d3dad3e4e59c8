// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.matrix;

import dev.isonomy.contract.Block;
import dev.isonomy.contract.ToolResponse;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Plain methods: tools by signature. {@code amount} comes back in results; {@code together} calls meet first. */
public final class Plain {

    private static final String STATUS = "status";
    private static final String ERROR = "error";

    private Plain() {}

    /** A value, as it is. */
    public static Map<String, Object> rawSuccess(int amount, int together) {
        Together.meet(together);
        Map<String, Object> order = new LinkedHashMap<>();
        order.put("order", "A-17");
        order.put("amount", amount);
        order.put("share", 0.5);
        order.put("paid", true);
        order.put("note", null);
        order.put("price", new BigDecimal("12.50"));
        order.put("day", LocalDate.of(2024, 2, 29));
        order.put("raw", new byte[] {'h', 'i'});
        return order;
    }

    /** A response that says success, with content and meta. */
    public static ToolResponse explicitSuccess(int amount, int together) {
        Together.meet(together);
        return ToolResponse.success(
                Map.of("amount", amount), List.of(Block.text("booked")), Map.of("trace_id", "t-1"));
    }

    /** A response that says failure, with everything that it can hold. */
    public static ToolResponse returnedFailure(int amount, int together) {
        Together.meet(together);
        return ToolResponse.failure("card declined")
                .code("CARD_DECLINED")
                .retryable(false)
                .retryAfterMs(1500L)
                .details(Map.of("card", Map.of("last4", "4242")))
                .content(List.of(Block.text("the card was declined")))
                .meta(Map.of("attempt", "first"))
                .build();
    }

    /** An exception with a cause. */
    public static Object exception(int amount, int together) {
        Together.meet(together);
        throw new IllegalArgumentException("no such account", new IllegalStateException("row 7"));
    }

    /** An object without keys. */
    public static Object emptyObject(int amount, int together) {
        Together.meet(together);
        return Map.of();
    }

    /** Looks like a failure of some convention. */
    public static Object successFalse(int amount, int together) {
        Together.meet(together);
        return Map.of("success", false, ERROR, "x");
    }

    /** Looks like a failed result of MCP. */
    public static Object isErrorTrue(int amount, int together) {
        Together.meet(together);
        return Map.of("isError", true);
    }

    /** Looks like a failure told in words. */
    public static Object errorText(int amount, int together) {
        Together.meet(together);
        return "Error: no such order";
    }

    /** Looks like the envelope of a bridge. */
    public static Object ownEnvelope(int amount, int together) {
        Together.meet(together);
        return Map.of(
                "v", 1,
                "outcome", "settled",
                ERROR, Map.of("kind", "timeout", "message", "m", "effect", "possible", "language", "java"));
    }

    /** Looks like a tag of portable values. */
    public static Object ownTag(int amount, int together) {
        Together.meet(together);
        return Map.of("$iso:date", "2024-02-29");
    }

    /** Looks like a response. */
    public static Object ownResponse(int amount, int together) {
        Together.meet(together);
        return Map.of(
                STATUS, "failure",
                ERROR, Map.of("kind", "tool_error", "message", "m", "effect", "possible", "language", "python"));
    }

    /** Nothing. */
    public static void nothing(int amount, int together) {
        Together.meet(together);
    }
}
