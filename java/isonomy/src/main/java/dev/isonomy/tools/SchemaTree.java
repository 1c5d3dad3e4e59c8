// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * A JSON Schema as it is written: its faults, its patterns, and what its references name. Every schema is read as
 * 2020-12, whatever its {@code $schema} says (clause 7.3). Not changed once read.
 */
final class SchemaTree {

    private static final String[] MAPS = {
        "properties", "patternProperties", "dependentSchemas", "$defs", "definitions"
    };
    private static final String[] LISTS = {"allOf", "anyOf", "oneOf", "prefixItems"};
    private static final String[] ONES = {
        "items", "additionalProperties", "unevaluatedItems", "unevaluatedProperties", "contains", "propertyNames",
        "not", "if", "then", "else"
    };
    private static final String[] REFERENCES = {"$ref", "$dynamicRef"};
    private static final String[] ANCHORS = {"$anchor", "$dynamicAnchor"};

    /** A schema inside, the schema whose {@code $id} holds for it, and the way there. */
    private record Part(Object schema, Map<?, ?> resource, String place) {}

    private final Map<String, Object> root;
    private final Map<String, PortablePattern> patterns = new HashMap<>();
    private final Map<String, Map<?, ?>> identified = new HashMap<>();
    private final Map<String, Object> anchored = new HashMap<>();
    private final Map<Map<?, ?>, Map<String, Object>> targets = new IdentityHashMap<>();
    private final List<Part> parts = new ArrayList<>();

    /**
     * @param root plain values that nobody changes
     * @throws SchemaFault it is no JSON Schema, refers to what it does not hold or to itself without end, or has a
     *     pattern that is not portable
     */
    SchemaTree(Map<String, Object> root) {
        this.root = root;
        read(new Part(root, root, "#"));
        refer();
        new SchemaExtent(this).check();
    }

    /** The whole schema. */
    Map<String, Object> root() {
        return root;
    }

    /** Every schema in it, but those that are true or false. */
    List<Map<?, ?>> parts() {
        List<Map<?, ?>> schemas = new ArrayList<>(parts.size());
        parts.forEach(part -> schemas.add((Map<?, ?>) part.schema));
        return schemas;
    }

    /** A pattern that some schema in it has. */
    PortablePattern pattern(String pattern) {
        return patterns.get(pattern);
    }

    /** What a schema refers to by a keyword, or null where it does not. */
    Object target(Map<?, ?> schema, String keyword) {
        return targets.getOrDefault(schema, Map.of()).get(keyword);
    }

    /** All that a schema refers to. */
    Collection<Object> targets(Map<?, ?> schema) {
        return targets.getOrDefault(schema, Map.of()).values();
    }

    /** The object that a keyword says; empty where it says none. */
    static Map<?, ?> object(Map<?, ?> schema, String keyword) {
        return schema.get(keyword) instanceof Map<?, ?> said ? said : Map.of();
    }

    /** The list that a keyword says; empty where it says none. */
    static List<?> list(Map<?, ?> schema, String keyword) {
        return schema.get(keyword) instanceof List<?> said ? said : List.of();
    }

    /** Notes all that a schema holds: parts, names, patterns; references are found later. */
    private void read(Part first) {
        Deque<Part> rest = new ArrayDeque<>();
        rest.push(first);
        while (!rest.isEmpty()) {
            Part part = rest.pop();
            if (part.schema instanceof Boolean || targets.containsKey(part.schema)) {
                continue;
            }
            if (!(part.schema instanceof Map<?, ?> schema)) {
                throw new SchemaFault("at " + part.place + " there is another value");
            }
            targets.put(schema, new HashMap<>());
            SchemaKeywords.check(schema, part.place);
            compile(schema, part.place);
            Map<?, ?> resource = part.resource;
            if (schema.get("$id") instanceof String id) {
                resource = schema;
                identified.putIfAbsent(id.endsWith("#") ? id.substring(0, id.length() - 1) : id, schema);
            }
            for (String keyword : ANCHORS) {
                if (schema.get(keyword) instanceof String name) {
                    anchored.putIfAbsent(name, schema);
                }
            }
            parts.add(new Part(schema, resource, part.place));
            inside(schema, resource, part.place, rest);
        }
    }

    private static void inside(Map<?, ?> schema, Map<?, ?> resource, String place, Deque<Part> into) {
        for (String keyword : MAPS) {
            object(schema, keyword)
                    .forEach((name, one) -> into.push(new Part(one, resource, place + "/" + keyword + "/" + name)));
        }
        for (String keyword : LISTS) {
            List<?> list = list(schema, keyword);
            for (int i = 0; i < list.size(); i++) {
                into.push(new Part(list.get(i), resource, place + "/" + keyword + "/" + i));
            }
        }
        for (String keyword : ONES) {
            if (schema.containsKey(keyword)) {
                into.push(new Part(schema.get(keyword), resource, place + "/" + keyword));
            }
        }
    }

    /** Finds what each reference names; that may be a part which no keyword leads to. */
    private void refer() {
        for (int i = 0; i < parts.size(); i++) {
            Part part = parts.get(i);
            Map<?, ?> schema = (Map<?, ?>) part.schema;
            for (String keyword : REFERENCES) {
                if (schema.get(keyword) instanceof String reference) {
                    Object target = SchemaPointer.find(reference, part.resource, identified, anchored);
                    if (!(target instanceof Map || target instanceof Boolean)) {
                        throw new SchemaFault("at " + part.place + " it refers to " + reference
                                + ", which it does not hold; put that under $defs");
                    }
                    targets.get(schema).put(keyword, target);
                    read(new Part(target, part.resource, reference));
                }
            }
        }
    }

    private void compile(Map<?, ?> schema, String place) {
        List<Object> written = new ArrayList<>(object(schema, "patternProperties").keySet());
        if (schema.containsKey("pattern")) {
            written.add(schema.get("pattern"));
        }
        for (Object each : written) {
            String pattern = (String) each;
            if (!patterns.containsKey(pattern)) {
                try {
                    patterns.put(pattern, new PortablePattern(pattern));
                } catch (PatternFault fault) {
                    throw new SchemaFault(
                            "at " + place + " the pattern " + pattern + " is not portable: " + fault.getMessage());
                }
            }
        }
    }
}
