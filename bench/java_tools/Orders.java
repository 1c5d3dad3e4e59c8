// SPDX-License-Identifier: Apache-2.0

import dev.isonomy.shaded.jackson.databind.ObjectMapper;
import dev.isonomy.tools.Tool;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The tools of the rows about the bridge, and the same work done by hand. */
public final class Orders {
    public record Item(String sku, String title, int quantity, double price) {}

    private static final ObjectMapper JSON = new ObjectMapper();

    private Orders() {}

    @Tool
    public static Map<String, Object> total(String customer, String currency, List<Item> items) {
        double sum = 0;
        for (Item item : items) {
            sum += item.quantity() * item.price();
        }
        Map<String, Object> total = new LinkedHashMap<>();
        total.put("customer", customer);
        total.put("currency", currency);
        total.put("total", sum);
        total.put("items", items.size());
        return total;
    }

    @Tool
    public static Map<String, Object> refuse(String customer, String currency, List<Item> items) {
        throw new IllegalStateException(
                "no total for " + customer,
                new RuntimeException(
                        "the price list is closed",
                        new IllegalArgumentException("no prices in " + currency, new NullPointerException("price"))));
    }

    /** What {@link #total} does, from JSON bytes to JSON bytes: no schema, no records, no envelope. */
    public static byte[] bare(byte[] request) throws IOException {
        Map<?, ?> order = JSON.readValue(request, Map.class);
        List<?> items = (List<?>) order.get("items");
        double sum = 0;
        for (Object each : items) {
            Map<?, ?> item = (Map<?, ?>) each;
            sum += ((Number) item.get("quantity")).intValue() * ((Number) item.get("price")).doubleValue();
        }
        Map<String, Object> total = new LinkedHashMap<>();
        total.put("customer", order.get("customer"));
        total.put("currency", order.get("currency"));
        total.put("total", sum);
        total.put("items", items.size());
        return JSON.writeValueAsBytes(total);
    }
}
