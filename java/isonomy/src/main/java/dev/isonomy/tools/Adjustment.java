// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What is mended before arguments are judged (clauses 7.5 and 7.6): a string where the schema demands an object or
 * array is parsed as JSON, and null for an optional property that does not accept null counts as absent. Arguments that
 * are valid as they came need neither, so this runs for the others only. Values are copied where they change.
 */
final class Adjustment {

    private static final Set<String> CONTAINERS = Set.of("object", "array", "null");

    private final SchemaTree tree;
    private final NullAcceptance nulls;
    private final List<Object> steps = new ArrayList<>();
    private final List<String> decoded = new ArrayList<>();

    Adjustment(SchemaTree tree) {
        this.tree = tree;
        this.nulls = new NullAcceptance(tree);
    }

    /** The arguments as they are judged. */
    Map<String, Object> of(Map<String, Object> arguments) {
        @SuppressWarnings("unchecked") // a map stays a map
        Map<String, Object> adjusted = (Map<String, Object>) adjust(tree.root(), arguments);
        return adjusted;
    }

    /** The paths of what was parsed, ordered. */
    List<String> decoded() {
        return decoded.stream().sorted(CodePoints.ORDER).toList();
    }

    private Object adjust(Object schema, Object sent) {
        Object resolved = tree.resolved(schema);
        Object value = sent instanceof String text ? parsed(resolved, text) : sent;
        if (!(resolved instanceof Map<?, ?> rules)) {
            return value;
        }
        if (value instanceof Map<?, ?> object && rules.get("properties") instanceof Map<?, ?> properties) {
            return object(rules, properties, object);
        }
        if (value instanceof List<?> list && rules.get("items") instanceof Map<?, ?> item) {
            return list(item, list);
        }
        return value;
    }

    private Map<?, ?> object(Map<?, ?> rules, Map<?, ?> properties, Map<?, ?> object) {
        List<?> required = rules.get("required") instanceof List<?> names ? names : List.of();
        Map<Object, Object> adjusted = new LinkedHashMap<>(object);
        properties.forEach((name, property) -> {
            if (!object.containsKey(name)) {
                return;
            }
            steps.add(name);
            Object value = adjust(property, object.get(name));
            if (value == null && !required.contains(name) && !nulls.accepted(property)) {
                adjusted.remove(name);
            } else {
                adjusted.put(name, value);
            }
            steps.remove(steps.size() - 1);
        });
        return adjusted;
    }

    private List<?> list(Object item, List<?> list) {
        List<Object> adjusted = new ArrayList<>(list.size());
        for (int i = 0; i < list.size(); i++) {
            steps.add(i);
            adjusted.add(adjust(item, list.get(i)));
            steps.remove(steps.size() - 1);
        }
        return adjusted;
    }

    private Object parsed(Object schema, String text) {
        Set<String> demanded = demanded(schema);
        if (demanded.isEmpty()) {
            return text;
        }
        try {
            Object value = PlainJson.read(text, steps);
            if (value instanceof Map && demanded.contains("object") || value instanceof List && demanded.contains("array")) {
                decoded.add(ArgumentPath.of(steps));
                return value;
            }
            return text;
        } catch (NotPlain notJson) {
            return text;
        }
    }

    /** The types that a schema demands where these are containers; else empty. */
    private Set<String> demanded(Object schema) {
        Set<String> types = SchemaTree.types(schema);
        if (types.isEmpty() && schema instanceof Map<?, ?> rules) {
            Object alternatives = rules.containsKey("anyOf") ? rules.get("anyOf") : rules.get("oneOf");
            if (alternatives instanceof List<?> list) {
                for (Object alternative : list) {
                    Set<String> own = SchemaTree.types(tree.resolved(alternative));
                    if (own.isEmpty()) {
                        return Set.of();
                    }
                    types.addAll(own);
                }
            }
        }
        boolean demands = CONTAINERS.containsAll(types) && (types.contains("object") || types.contains("array"));
        return demands ? types : Set.of();
    }
}
