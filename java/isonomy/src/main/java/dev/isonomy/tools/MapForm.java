// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.math.BigInteger;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;

/** A map: an object. Keys are texts, or types that have a text form or are integers. */
final class MapForm implements Form {

    private static final List<Class<?>> SORTED = List.of(SortedMap.class, NavigableMap.class, TreeMap.class);
    private static final List<Class<?>> PLAIN = List.of(Map.class, HashMap.class, LinkedHashMap.class);

    private static final List<Class<?>> INTEGERS =
            List.of(Long.class, Integer.class, Short.class, Byte.class, BigInteger.class);

    private final boolean sorted;
    private final Form key;
    private final Form value;

    MapForm(Class<?> type, Form key, Form value) {
        this.sorted = SORTED.contains(type);
        this.key = key;
        this.value = value;
    }

    /** Whether a class is a map that can be made. */
    static boolean covers(Class<?> type) {
        return PLAIN.contains(type) || SORTED.contains(type);
    }

    /** Whether a class can be the key of a map. */
    static boolean isKey(Class<?> type, Form form) {
        return form.isText() || INTEGERS.contains(type);
    }

    @Override
    public Map<String, Object> schema(Definitions definitions) {
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("type", "object");
        Map<String, Object> keys = key.schema(definitions);
        if (keys.containsKey("enum")) {
            schema.put("propertyNames", Map.of("enum", keys.get("enum")));
        }
        Map<String, Object> values = value.schema(definitions);
        if (!values.isEmpty()) {
            schema.put("additionalProperties", values);
        }
        return schema;
    }

    @Override
    public Object bind(Object object) throws Unreadable {
        Map<Object, Object> made = sorted ? new TreeMap<>() : new LinkedHashMap<>();
        Unreadable unreadable = null;
        for (Map.Entry<?, ?> entry : ((Map<?, ?>) object).entrySet()) {
            try {
                Object name = key(entry.getKey());
                if (made.containsKey(name)) {
                    throw new Unreadable("a key that differs from the others");
                }
                made.put(name, value.bind(entry.getValue()));
            } catch (Unreadable one) {
                unreadable = one.within(entry.getKey()).after(unreadable);
            }
        }
        if (unreadable != null) {
            throw unreadable;
        }
        return made;
    }

    private Object key(Object name) throws Unreadable {
        if (key.isText()) {
            return key.bind(name);
        }
        try {
            BigInteger number = new BigInteger((String) name);
            return key.bind(number.bitLength() < Long.SIZE ? (Object) number.longValue() : number);
        } catch (NumberFormatException notOne) {
            throw new Unreadable("a key that is an integer");
        }
    }
}
