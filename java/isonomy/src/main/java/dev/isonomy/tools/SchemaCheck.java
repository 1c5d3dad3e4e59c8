// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Compiles the common part of JSON Schema into plain checks, so that valid arguments, which most are, need no walk
 * through the schema. The judge stays the arbiter: a schema with a keyword that is not compiled is left to
 * it whole, and so is every value that a compiled check does not accept.
 */
final class SchemaCheck {

    /** Whether a plain value fits. */
    @FunctionalInterface
    interface Check {
        boolean accepts(Object value);

        /** A check that needs nothing but that this one and the other accept. */
        default Check and(Check other) {
            return value -> accepts(value) && other.accepts(value);
        }
    }

    private static final Check ALWAYS = value -> true;
    private static final Check NEVER = value -> false;

    private static final Set<String> ANNOTATIONS = Set.of(
            "$schema", "$comment", "$defs", "definitions", "title", "description", "default", "examples", "deprecated",
            "readOnly", "writeOnly", "format", "contentEncoding", "contentMediaType", "$id", "$anchor", "$dynamicAnchor");

    private static final Set<String> COMPILED = Set.of(
            "type", "properties", "required", "additionalProperties", "items", "enum", "const", "minimum", "maximum",
            "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems", "minProperties",
            "maxProperties", "uniqueItems", "pattern", "anyOf", "allOf", "$ref");

    private final SchemaTree tree;
    private final Map<Object, Later> references = new IdentityHashMap<>();
    private boolean complete = true;

    private SchemaCheck(SchemaTree tree) {
        this.tree = tree;
    }

    /** The check of a schema, or null where it uses what is not compiled, or a value could take too many ways. */
    static Check compile(SchemaTree tree) {
        if (SchemaForks.multiply(tree)) {
            return null;
        }
        SchemaCheck compiler = new SchemaCheck(tree);
        Check check = compiler.check(tree.root());
        return compiler.complete ? check : null;
    }

    private Check check(Object schema) {
        if (schema instanceof Boolean all) {
            return all ? ALWAYS : NEVER;
        }
        if (!(schema instanceof Map<?, ?> map)) {
            return notCompiled();
        }
        for (Object keyword : map.keySet()) {
            if (!ANNOTATIONS.contains(keyword) && !COMPILED.contains(keyword)) {
                return notCompiled();
            }
        }
        List<Check> checks = new ArrayList<>();
        if (map.containsKey("$ref")) {
            checks.add(reference(tree.target(map, "$ref")));
        }
        if (map.containsKey("type")) {
            checks.add(TypeCheck.of(map.get("type")));
        }
        if (map.get("enum") instanceof List<?> members) {
            checks.add(members(members));
        }
        if (map.containsKey("const")) {
            checks.add(members(Collections.singletonList(map.get("const"))));
        }
        BoundsCheck.add(map, checks);
        if (map.get("pattern") instanceof String text) {
            PortablePattern pattern = tree.pattern(text);
            checks.add(value -> !(value instanceof String one) || pattern.foundIn(one));
        }
        if (map.containsKey("properties") || map.containsKey("required") || map.containsKey("additionalProperties")) {
            checks.add(object(map));
        }
        if (map.containsKey("items")) {
            Check item = check(map.get("items"));
            checks.add(value -> !(value instanceof List<?> list) || all(list, item));
        }
        if (Boolean.TRUE.equals(map.get("uniqueItems"))) {
            checks.add(value -> !(value instanceof List<?> list) || PlainEquality.distinct(list));
        }
        if (map.get("allOf") instanceof List<?> parts) {
            parts.forEach(part -> checks.add(check(part)));
        }
        if (map.get("anyOf") instanceof List<?> parts) {
            checks.add(any(parts.stream().map(this::check).toArray(Check[]::new)));
        }
        checks.removeIf(one -> one == ALWAYS);
        return checks.stream().reduce(Check::and).orElse(ALWAYS);
    }

    private Check notCompiled() {
        complete = false;
        return NEVER;
    }

    /** A reference may lead to a schema that holds it, so its check is found when the first value comes. */
    private static final class Later implements Check {
        private Check check;

        @Override
        public boolean accepts(Object value) {
            return check.accepts(value);
        }
    }

    private Check reference(Object target) {
        Later known = references.get(target);
        if (known == null) {
            known = new Later();
            references.put(target, known);
            known.check = check(target);
        }
        return known;
    }

    private Check object(Map<?, ?> schema) {
        Map<String, Check> properties = new HashMap<>();
        if (schema.get("properties") instanceof Map<?, ?> declared) {
            declared.forEach((name, one) -> properties.put((String) name, check(one)));
        }
        String[] required =
                schema.get("required") instanceof List<?> names ? names.toArray(String[]::new) : new String[0];
        Check others = schema.containsKey("additionalProperties") ? check(schema.get("additionalProperties")) : ALWAYS;
        return value -> {
            if (!(value instanceof Map<?, ?> object)) {
                return true;
            }
            for (String name : required) {
                if (!object.containsKey(name)) {
                    return false;
                }
            }
            for (Map.Entry<?, ?> entry : object.entrySet()) {
                if (!properties.getOrDefault(entry.getKey(), others).accepts(entry.getValue())) {
                    return false;
                }
            }
            return true;
        };
    }

    private static boolean all(List<?> list, Check item) {
        for (int i = 0; i < list.size(); i++) {
            if (!item.accepts(list.get(i))) {
                return false;
            }
        }
        return true;
    }

    private static Check any(Check[] checks) {
        return value -> {
            for (Check check : checks) {
                if (check.accepts(value)) {
                    return true;
                }
            }
            return false;
        };
    }

    private static Check members(List<?> members) {
        if (members.stream().allMatch(String.class::isInstance)) {
            Set<Object> texts = new HashSet<>(members);
            return texts::contains;
        }
        return value -> members.stream().anyMatch(member -> PlainEquality.equal(member, value));
    }
}
