// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a schema says of one place in the arguments (clauses 7.4 to 7.6): its types, its parts, and what may be done to
 * a value there. Validation proper is the judge's; this knows only types, and only at places that a schema describes
 * through {@code properties}, {@code items} and {@code $ref}. Not changed once compiled.
 */
final class Shape {

    private static final Set<String> CONTAINERS = Set.of("object", "array", "null");

    private final Set<String> types;
    private final Map<String, Shape> properties = new LinkedHashMap<>();
    private final Set<String> droppable = new HashSet<>();
    private Shape items;
    private boolean closed;

    private Shape(Set<String> types) {
        this.types = types;
    }

    /** The shape of a whole schema, which may refer to itself. */
    static Shape of(SchemaTree tree) {
        return new Compiler(tree).shape(tree.root());
    }

    /** The types that the schema allows, in its order; empty where it does not say. */
    Set<String> types() {
        return types;
    }

    /** Whether a text here is one for JSON: nothing but objects and arrays is allowed. */
    boolean decodes() {
        return CONTAINERS.containsAll(types) && (types.contains("object") || types.contains("array"));
    }

    /** Whether 1.0 here means 1. */
    boolean isInteger() {
        return types.contains("integer") && !types.contains("number");
    }

    /** The shapes of properties. */
    Map<String, Shape> properties() {
        return properties;
    }

    /** The shape of items, or null. */
    Shape items() {
        return items;
    }

    /** Properties whose null counts as absent. */
    Set<String> droppable() {
        return droppable;
    }

    /** Whether other properties are not simply allowed (clause 7.13). */
    boolean isClosed() {
        return closed;
    }

    /** The shape of a place below this one, or null where the schema does not say. */
    Shape at(List<Object> steps) {
        Shape found = this;
        for (Object step : steps) {
            if (found == null) {
                break;
            }
            found = step instanceof Integer ? found.items : found.properties.get(step);
        }
        return found;
    }

    private static final class Compiler {
        private final SchemaTree tree;
        private final SchemaJudge judge;
        private final Map<Object, Shape> shapes = new IdentityHashMap<>();

        Compiler(SchemaTree tree) {
            this.tree = tree;
            this.judge = new SchemaJudge(tree, null);
        }

        Shape shape(Object schema) {
            Shape made = shapes.get(schema);
            if (made == null) {
                made = new Shape(types(schema));
                shapes.put(schema, made);
                fill(made, schema);
            }
            return made;
        }

        private void fill(Shape made, Object schema) {
            Set<Object> required = new HashSet<>();
            Object layer = schema;
            while (layer instanceof Map<?, ?> rules) {
                required.addAll(SchemaTree.list(rules, "required"));
                made.closed |= rules.containsKey("additionalProperties")
                        && !Boolean.TRUE.equals(rules.get("additionalProperties"));
                SchemaTree.object(rules, "properties").forEach((name, inner) -> {
                    if (!made.properties.containsKey(name)) {
                        made.properties.put((String) name, shape(inner));
                    }
                    if (!judge.accepts(inner, null)) {
                        made.droppable.add((String) name);
                    }
                });
                if (rules.containsKey("items") && made.items == null && !rules.containsKey("prefixItems")) {
                    made.items = shape(rules.get("items"));
                }
                layer = tree.target(rules, "$ref");
            }
            made.droppable.removeAll(required);
        }

        private Set<String> types(Object schema) {
            Set<String> types = new LinkedHashSet<>();
            if (!(schema instanceof Map<?, ?> rules)) {
                return types;
            }
            if (rules.get("type") instanceof String one) {
                types.add(one);
                return types;
            }
            if (rules.get("type") instanceof List<?> several) {
                several.forEach(one -> types.add((String) one));
                return types;
            }
            List<?> alternatives = SchemaTree.list(rules, rules.containsKey("anyOf") ? "anyOf" : "oneOf");
            for (Object alternative : alternatives) {
                Set<String> own = types(alternative);
                if (own.isEmpty()) {
                    return own;
                }
                types.addAll(own);
            }
            return alternatives.isEmpty() ? types(tree.target(rules, "$ref")) : types;
        }
    }
}
