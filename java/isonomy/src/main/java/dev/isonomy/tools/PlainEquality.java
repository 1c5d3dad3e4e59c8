// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Equality and order of plain values as JSON Schema has them: numbers by value, so that 1 and 1.0 are equal. */
final class PlainEquality {

    private PlainEquality() {}

    /** Whether two plain values are equal. */
    static boolean equal(Object left, Object right) {
        return left instanceof String ? left.equals(right) : Objects.equals(key(left), key(right));
    }

    /** Compares two plain numbers exactly, whatever their Java types. */
    static int compare(Object left, Object right) {
        if (left instanceof Long one && right instanceof Long other) {
            return Long.compare(one, other);
        }
        if (left instanceof Double one && right instanceof Double other) {
            // As numbers: unlike Double.compare, -0.0 equals 0.0.
            return one < other ? -1 : one > other ? 1 : 0;
        }
        return decimal(left).compareTo(decimal(right));
    }

    /** Whether no two items are equal. */
    static boolean distinct(List<?> items) {
        Set<Object> seen = new HashSet<>();
        for (Object item : items) {
            if (!seen.add(key(item))) {
                return false;
            }
        }
        return true;
    }

    /** A value that equals another's exactly where the plain values are equal. */
    private static Object key(Object value) {
        if (value instanceof Number number) {
            return decimal(number).stripTrailingZeros();
        }
        if (value instanceof List<?> list) {
            List<Object> keys = new ArrayList<>(list.size());
            list.forEach(item -> keys.add(key(item)));
            return keys;
        }
        if (value instanceof Map<?, ?> map) {
            Map<Object, Object> keys = new HashMap<>();
            map.forEach((name, member) -> keys.put(name, key(member)));
            return keys;
        }
        return value;
    }

    private static BigDecimal decimal(Object number) {
        if (number instanceof Long one) {
            return BigDecimal.valueOf(one);
        }
        return number instanceof BigInteger one ? new BigDecimal(one) : new BigDecimal((Double) number);
    }
}
