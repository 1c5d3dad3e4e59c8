// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.tools.SchemaCheck.Check;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/** The checks of keywords that bound a number or a length. */
final class BoundsCheck {

    private BoundsCheck() {}

    /** Adds a check for each bound that a schema sets. */
    static void add(Map<?, ?> schema, Collection<Check> checks) {
        range(schema, checks);
        number(schema.get("exclusiveMinimum"), checks, (value, bound) -> PlainEquality.compare(value, bound) > 0);
        number(schema.get("exclusiveMaximum"), checks, (value, bound) -> PlainEquality.compare(value, bound) < 0);
        size(schema, "Length", checks, value -> value instanceof String text ? text.codePointCount(0, text.length()) : -1);
        size(schema, "Items", checks, value -> value instanceof List<?> list ? list.size() : -1);
        size(schema, "Properties", checks, value -> value instanceof Map<?, ?> map ? map.size() : -1);
    }

    private interface Comparison {
        boolean holds(Object value, Object bound);
    }

    private static void range(Map<?, ?> schema, Collection<Check> checks) {
        Object minimum = schema.get("minimum");
        Object maximum = schema.get("maximum");
        if (minimum instanceof Long min && maximum instanceof Long max) {
            // What every derived integer has; two longs compare without a decimal between them.
            long low = min;
            long high = max;
            checks.add(value -> value instanceof Long number
                    ? number >= low && number <= high
                    : !(value instanceof Number)
                            || PlainEquality.compare(value, minimum) >= 0 && PlainEquality.compare(value, maximum) <= 0);
            return;
        }
        number(minimum, checks, (value, bound) -> PlainEquality.compare(value, bound) >= 0);
        number(maximum, checks, (value, bound) -> PlainEquality.compare(value, bound) <= 0);
    }

    private static void number(Object bound, Collection<Check> checks, Comparison comparison) {
        if (bound != null) {
            checks.add(value -> !(value instanceof Number) || comparison.holds(value, bound));
        }
    }

    /** @param measure the size, or -1 for a value that the keyword does not speak of */
    private static void size(Map<?, ?> schema, String what, Collection<Check> checks, ToIntFunction<Object> measure) {
        Object least = schema.get("min" + what);
        Object most = schema.get("max" + what);
        if (least != null || most != null) {
            long min = least == null ? 0 : ((Number) least).longValue();
            long max = most == null ? Long.MAX_VALUE : ((Number) most).longValue();
            checks.add(value -> {
                int size = measure.applyAsInt(value);
                return size < 0 || size >= min && size <= max;
            });
        }
    }
}
