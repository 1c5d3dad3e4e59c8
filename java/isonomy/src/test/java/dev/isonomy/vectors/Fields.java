// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.vectors;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** An object of a vector that knows which of its fields a test has looked at, from any thread. */
public final class Fields {
    private final String where;
    private final Map<String, Object> fields;
    private final Set<String> read = ConcurrentHashMap.newKeySet();
    private final List<Fields> children = new CopyOnWriteArrayList<>();

    Fields(String where, Map<String, Object> fields) {
        this.where = where;
        this.fields = fields;
    }

    /** The object that this JSON is. */
    @SuppressWarnings("unchecked") // the keys of JSON objects are strings
    public static Fields of(String where, Object json) {
        if (!(json instanceof Map)) {
            throw new AssertionError(where + " is no object: " + json);
        }
        return new Fields(where, (Map<String, Object>) json);
    }

    public String where() {
        return where;
    }

    public boolean has(String name) {
        return fields.containsKey(name);
    }

    public Set<String> names() {
        return fields.keySet();
    }

    /** A field as JSON; whoever takes it looks at the whole of it. */
    public Object json(String name) {
        if (!has(name)) {
            throw new AssertionError(where + " has no field " + name);
        }
        read.add(name);
        return fields.get(name);
    }

    public Object json(String name, Object absent) {
        return has(name) ? json(name) : absent;
    }

    public String text(String name) {
        return (String) json(name);
    }

    public boolean bool(String name) {
        return (Boolean) json(name);
    }

    public int integer(String name) {
        return (Integer) json(name);
    }

    public List<?> list(String name) {
        return (List<?>) json(name);
    }

    /** An object whose own fields have to be looked at. */
    public Fields object(String name) {
        Fields child = of(where + "." + name, json(name));
        children.add(child);
        return child;
    }

    /** A list of objects whose own fields have to be looked at. */
    public List<Fields> objects(String name) {
        List<Fields> items = new ArrayList<>();
        for (Object item : list(name)) {
            Fields child = of(where + "." + name + "[" + items.size() + "]", item);
            children.add(child);
            items.add(child);
        }
        return items;
    }

    /** A value that may differ by language: what stands for Java. */
    public Object forJava(String name) {
        return forJava(json(name));
    }

    /** The Java side of {@code {"python", "java"}}, or the value itself. */
    public static Object forJava(Object json) {
        return json instanceof Map<?, ?> map && map.keySet().equals(Set.of("python", "java"))
                ? map.get("java")
                : json;
    }

    /** Fails where a field, here or below, was not looked at. */
    public void requireAllRead() {
        Map<String, Object> unread = new LinkedHashMap<>(fields);
        unread.keySet().removeAll(read);
        if (!unread.isEmpty()) {
            throw new AssertionError(where + " has fields that no test looked at: " + unread.keySet());
        }
        children.forEach(Fields::requireAllRead);
    }
}
