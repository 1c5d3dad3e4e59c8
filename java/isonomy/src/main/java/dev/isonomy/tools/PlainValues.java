// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.lang.reflect.Array;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Brings arguments that a host made to plain JSON values (clause 7.2): every integer type to {@code Long} or {@code
 * BigInteger}, {@code float} to {@code Double}, arrays to lists. What is plain already is handed on as it is.
 */
final class PlainValues {

    private static final BigInteger MIN_LONG = BigInteger.valueOf(Long.MIN_VALUE);
    private static final BigInteger MAX_LONG = BigInteger.valueOf(Long.MAX_VALUE);

    private static final BigInteger TOO_LONG = BigInteger.TEN.pow(PlainJson.MAX_DIGITS);

    private final List<Object> steps = new ArrayList<>();
    private final List<Foreign> foreign;
    private int depth;
    private NotPlain fault;

    private PlainValues(List<Foreign> foreign) {
        this.foreign = foreign;
    }

    /**
     * The arguments as plain values; the very same map where nothing had to change.
     *
     * @param foreign receives the places of values of another kind, which are null in the result
     * @throws NotPlain they are no object with strings as keys, are nested too deep, or hold too long an integer
     */
    static Map<?, ?> of(Map<?, ?> arguments, List<Foreign> foreign) throws NotPlain {
        PlainValues values = new PlainValues(foreign);
        if (!hasStringKeys(arguments)) {
            throw new NotPlain(new Violation(ArgumentPath.ROOT, "type", RuleMessage.expected(List.of("object"))));
        }
        Map<?, ?> plain = (Map<?, ?>) values.plain(arguments);
        if (values.fault != null) {
            throw values.fault;
        }
        return plain;
    }

    /** The one Java type of an integer: {@code Long} where it fits. */
    static Object integer(BigInteger value) {
        return value.compareTo(MIN_LONG) >= 0 && value.compareTo(MAX_LONG) <= 0 ? (Object) value.longValue() : value;
    }

    private Object plain(Object value) {
        if (fault != null || value == null || value instanceof String || value instanceof Boolean || value instanceof Long) {
            return value;
        }
        if (value instanceof Map<?, ?> map) {
            return hasStringKeys(map) ? enter() ? leave(map(map)) : null : foreign();
        }
        if (value instanceof Collection<?> items && !(value instanceof Set<?>)) {
            return enter() ? leave(list(items)) : null;
        }
        if (value instanceof Double number) {
            return Double.isFinite(number) ? number : foreign();
        }
        return other(value);
    }

    private Object other(Object value) {
        if (value instanceof Integer || value instanceof Short || value instanceof Byte) {
            return ((Number) value).longValue();
        }
        if (value instanceof BigInteger number) {
            if (number.abs().compareTo(TOO_LONG) >= 0) {
                fault = PlainJson.broken(List.of());
            }
            return integer(number);
        }
        if (value instanceof Float number) {
            return plain(number.doubleValue());
        }
        if (value instanceof Character one) {
            return one.toString();
        }
        if (value.getClass().isArray() && !(value instanceof byte[])) {
            List<Object> items = new ArrayList<>();
            for (int i = 0; i < Array.getLength(value); i++) {
                items.add(Array.get(value, i));
            }
            return plain(items);
        }
        return foreign();
    }

    private Map<?, ?> map(Map<?, ?> map) {
        Map<Object, Object> changed = null;
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            Object key = entry.getKey();
            steps.add(key);
            Object was = entry.getValue();
            Object is = plain(was);
            if (is != was && changed == null) {
                changed = new LinkedHashMap<>(map);
            }
            if (is != was) {
                changed.put(key, is);
            }
            steps.remove(steps.size() - 1);
        }
        return changed == null ? map : changed;
    }

    private List<?> list(Collection<?> items) {
        List<Object> changed = items instanceof List<?> ? null : new ArrayList<>(items);
        int i = 0;
        for (Object was : items) {
            steps.add(i);
            Object is = plain(was);
            if (is != was && changed == null) {
                changed = new ArrayList<>(items);
            }
            if (is != was) {
                changed.set(i, is);
            }
            steps.remove(steps.size() - 1);
            i++;
        }
        return changed == null ? (List<?>) items : changed;
    }

    private static boolean hasStringKeys(Map<?, ?> map) {
        for (Object key : map.keySet()) {
            if (!(key instanceof String)) {
                return false;
            }
        }
        return true;
    }

    private boolean enter() {
        if (depth == PlainJson.MAX_DEPTH) {
            fault = NotPlain.tooDeep();
            return false;
        }
        depth++;
        return true;
    }

    private Object leave(Object value) {
        depth--;
        return value;
    }

    private Object foreign() {
        foreign.add(new Foreign(steps));
        return null;
    }
}
