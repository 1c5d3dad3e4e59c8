// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A JSON Schema as plain values, and what its references name. Immutable. */
final class SchemaTree {

    /** References that lead to references: a chain this long is a circle. */
    private static final int MAX_HOPS = 64;

    private final Map<String, Object> root;
    private final Map<String, Object> named = new HashMap<>();

    SchemaTree(Map<String, Object> root) {
        this.root = root;
        nameWithin(root);
    }

    /** The whole schema. */
    Map<String, Object> root() {
        return root;
    }

    /** What a reference names within this schema, or null. */
    Object resolve(String reference) {
        Object byName = named.get(reference);
        if (byName != null) {
            return byName;
        }
        if (reference.equals("#")) {
            return root;
        }
        return reference.startsWith("#/") ? pointed(reference.substring(2)) : null;
    }

    /** The schema itself, or the one that its chain of references ends in. */
    Object resolved(Object schema) {
        Object at = schema;
        for (int hop = 0; hop < MAX_HOPS; hop++) {
            if (!(at instanceof Map<?, ?> map) || !(map.get("$ref") instanceof String reference)) {
                return at;
            }
            Object target = resolve(reference);
            if (target == null) {
                return at;
            }
            at = target;
        }
        return at;
    }

    /** The schema of what stands at the end of these names and indexes, or null. */
    Object at(List<Object> steps) {
        Object schema = resolved(root);
        for (Object step : steps) {
            if (!(schema instanceof Map<?, ?> rules)) {
                return null;
            }
            Object inner = step instanceof Integer ? rules.get("items") : rules.get("additionalProperties");
            if (step instanceof String && rules.get("properties") instanceof Map<?, ?> properties
                    && properties.containsKey(step)) {
                inner = properties.get(step);
            }
            schema = resolved(inner);
        }
        return schema;
    }

    /** The names that the keyword {@code type} of a schema lists; empty where it has none. */
    static Set<String> types(Object schema) {
        Set<String> types = new LinkedHashSet<>();
        if (schema instanceof Map<?, ?> map) {
            if (map.get("type") instanceof String one) {
                types.add(one);
            } else if (map.get("type") instanceof List<?> several) {
                several.forEach(one -> types.add(String.valueOf(one)));
            }
        }
        return types;
    }

    private Object pointed(String pointer) {
        Object at = root;
        for (String step : pointer.split("/", -1)) {
            String decoded = step.indexOf('%') < 0
                    ? step
                    : URLDecoder.decode(step.replace("+", "%2B"), StandardCharsets.UTF_8);
            String name = decoded.replace("~1", "/").replace("~0", "~");
            if (at instanceof Map<?, ?> map) {
                at = map.get(name);
            } else if (at instanceof List<?> list && name.matches("0|[1-9][0-9]{0,8}")) {
                int index = Integer.parseInt(name);
                at = index < list.size() ? list.get(index) : null;
            } else {
                return null;
            }
        }
        return at;
    }

    private void nameWithin(Object node) {
        if (node instanceof Map<?, ?> map) {
            if (map.get("$anchor") instanceof String anchor) {
                named.putIfAbsent("#" + anchor, node);
            }
            if (map.get("$id") instanceof String id) {
                named.putIfAbsent(id, node);
            }
            map.values().forEach(this::nameWithin);
        } else if (node instanceof List<?> list) {
            list.forEach(this::nameWithin);
        }
    }
}
