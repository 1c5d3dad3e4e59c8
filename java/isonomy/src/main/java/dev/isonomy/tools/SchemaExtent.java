// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** Refuses schemas that would judge one place without end (clause 7.3). */
final class SchemaExtent {

    private static final int MAX_CHAIN = 64;
    private static final long MAX_WAYS = 10_000;

    /** How many schemas judge one place, inside each other and in all. */
    private record Extent(int height, long ways) {}

    private final SchemaTree tree;
    private final Map<Map<?, ?>, Extent> known = new IdentityHashMap<>();

    SchemaExtent(SchemaTree tree) {
        this.tree = tree;
    }

    /** @throws SchemaFault some place is judged without end, or by too many schemas */
    void check() {
        tree.parts().forEach(schema -> measure(schema, 0));
    }

    private Extent measure(Object part, int depth) {
        Extent extent = part instanceof Map<?, ?> ? known.get(part) : new Extent(1, 1);
        if (extent == null && depth <= MAX_CHAIN) {
            int height = 0;
            long ways = 1;
            for (Object inner : aside((Map<?, ?>) part)) {
                Extent one = measure(inner, depth + 1);
                height = Math.max(height, one.height);
                ways += one.ways;
            }
            extent = new Extent(height + 1, ways);
            known.put((Map<?, ?>) part, extent);
        }
        if (extent == null || depth + extent.height > MAX_CHAIN || extent.ways > MAX_WAYS) {
            throw new SchemaFault("its references and combinations come back to themselves, or are more than "
                    + MAX_CHAIN + " inside each other or " + MAX_WAYS + " in all");
        }
        return extent;
    }

    /** The schemas that judge the same place as a schema that holds them. */
    private List<Object> aside(Map<?, ?> schema) {
        List<Object> parts = new ArrayList<>(tree.targets(schema));
        for (String keyword : new String[] {"allOf", "anyOf", "oneOf"}) {
            parts.addAll(SchemaTree.list(schema, keyword));
        }
        for (String keyword : new String[] {"not", "if", "then", "else"}) {
            if (schema.containsKey(keyword)) {
                parts.add(schema.get(keyword));
            }
        }
        parts.addAll(SchemaTree.object(schema, "dependentSchemas").values());
        return parts;
    }
}
