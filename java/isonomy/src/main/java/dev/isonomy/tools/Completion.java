// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the body of a tool with a schema of its own receives: a copy that it may change, with the defaults of absent
 * parameters (clause 7.12) and with integers where the schema says integer (clause 7.4: 1.0 becomes 1).
 */
final class Completion {

    private final SchemaTree tree;
    private final Map<String, Object> defaults = new LinkedHashMap<>();

    Completion(SchemaTree tree) {
        this.tree = tree;
        // Parameters stand at the top; a default deeper in the schema is an annotation.
        if (tree.resolved(tree.root()) instanceof Map<?, ?> rules && rules.get("properties") instanceof Map<?, ?> properties) {
            properties.forEach((name, property) -> {
                if (property instanceof Map<?, ?> map && map.containsKey("default")) {
                    defaults.put((String) name, map.get("default"));
                }
            });
        }
    }

    /** The arguments that the body receives for valid ones. */
    Map<String, Object> of(Map<String, Object> arguments) {
        @SuppressWarnings("unchecked") // a map stays a map
        Map<String, Object> copy = (Map<String, Object>) copy(tree.root(), arguments);
        defaults.forEach((name, value) -> {
            if (!copy.containsKey(name)) {
                copy.put(name, copy(null, value));
            }
        });
        return copy;
    }

    /** A deep copy of a plain object. */
    static Map<String, Object> copy(Map<?, ?> object) {
        @SuppressWarnings("unchecked") // a map stays a map, and every key was seen to be a string
        Map<String, Object> copy = (Map<String, Object>) new Completion(new SchemaTree(Map.of())).copy(null, object);
        return copy;
    }

    private Object copy(Object schema, Object value) {
        if (value instanceof Map<?, ?> object) {
            Map<?, ?> rules = tree.resolved(schema) instanceof Map<?, ?> map ? map : Map.of();
            Map<?, ?> properties = rules.get("properties") instanceof Map<?, ?> map ? map : Map.of();
            Object others = rules.get("additionalProperties");
            Map<String, Object> copy = new LinkedHashMap<>();
            object.forEach((name, member) -> {
                Object property = properties.containsKey(name) ? properties.get(name) : others;
                copy.put((String) name, copy(property, member));
            });
            return copy;
        }
        if (value instanceof List<?> list) {
            Object item = tree.resolved(schema) instanceof Map<?, ?> rules ? rules.get("items") : null;
            List<Object> copy = new ArrayList<>(list.size());
            list.forEach(each -> copy.add(copy(item, each)));
            return copy;
        }
        return value instanceof Double number ? number(schema, number) : value;
    }

    private Object number(Object schema, Double number) {
        Set<String> types = SchemaTree.types(tree.resolved(schema));
        boolean integer = types.contains("integer") && !types.contains("number");
        return integer && TypeCheck.isInteger(number)
                ? PlainValues.integer(new BigDecimal(number).toBigInteger())
                : number;
    }
}
