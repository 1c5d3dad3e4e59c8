// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * The judgement of plain values by a JSON Schema, exact, and told rule by rule. The rules, their places and their words
 * are those of clauses 7.7 to 7.10 and the same in every language, which those of validators by different makers are
 * not. Judges one value, by a schema or by several of one tree; all methods throw {@link TooMuchWork} where a text is
 * too long for a pattern.
 */
final class SchemaJudge {

    private final SchemaTree tree;
    private final List<Violation> found;
    private final List<Object> steps = new ArrayList<>();
    private final SchemaJudge quiet;

    /**
     * What was judged, so that nothing is judged twice: by the schema, and by the value, or by its place where broken
     * rules are noted there. Alternatives that hold one schema would double the work with each level of a value.
     */
    private final Map<Object, Map<Object, Boolean>> judged = new IdentityHashMap<>();

    /** @param found receives every broken rule; null where judging ends with the first */
    SchemaJudge(SchemaTree tree, List<Violation> found) {
        this.tree = tree;
        this.found = found;
        this.quiet = found == null ? this : new SchemaJudge(tree, null);
    }

    /**
     * Whether a value fits a schema.
     *
     * @param keyword what the schema stands under in another
     */
    boolean fits(Object schema, Object value, String keyword) {
        if (schema instanceof Boolean all) {
            return all || broken(keyword, null);
        }
        Map<?, ?> rules = (Map<?, ?>) schema;
        if (!(value instanceof Map || value instanceof List)) {
            return all(rules, value);
        }
        Map<Object, Boolean> known =
                judged.computeIfAbsent(rules, any -> found == null ? new IdentityHashMap<>() : new HashMap<>());
        Object key = found == null ? value : List.copyOf(steps);
        Boolean before = known.get(key);
        if (before == null) {
            before = all(rules, value);
            known.put(key, before);
        }
        return before;
    }

    private boolean all(Map<?, ?> rules, Object value) {
        boolean fits = true;
        for (Map.Entry<?, ?> entry : rules.entrySet()) {
            fits &= holds(rules, (String) entry.getKey(), entry.getValue(), value);
            if (!fits && found == null) {
                return false;
            }
        }
        return fits;
    }

    /** Whether a value fits, without noting why not. */
    boolean accepts(Object schema, Object value) {
        return quiet.fits(schema, value, "");
    }

    /** The tree whose schemas judge. */
    SchemaTree tree() {
        return tree;
    }

    /** The names in an object that a schema names neither itself nor by pattern. */
    List<String> others(Map<?, ?> schema, Map<?, ?> value) {
        Map<?, ?> names = SchemaTree.object(schema, "properties");
        Map<?, ?> patterns = SchemaTree.object(schema, "patternProperties");
        List<String> others = new ArrayList<>();
        for (Object name : value.keySet()) {
            if (!names.containsKey(name) && patterns.keySet().stream().noneMatch(one -> matches(one, name))) {
                others.add((String) name);
            }
        }
        return others;
    }

    private boolean matches(Object pattern, Object text) {
        return tree.pattern((String) pattern).foundIn((String) text);
    }

    private boolean holds(Map<?, ?> schema, String rule, Object said, Object value) {
        return switch (rule) {
            case "$ref", "$dynamicRef" -> fits(tree.target(schema, rule), value, rule);
            case "pattern" -> !(value instanceof String) || matches(said, value) || broken(rule, said);
            case "allOf" -> every((List<?>) said, rule, value);
            case "anyOf" -> count((List<?>) said, value) > 0 || broken(rule, said);
            case "oneOf" -> count((List<?>) said, value) == 1 || broken(rule, said);
            case "not" -> !accepts(said, value) || broken(rule, said);
            case "if" -> {
                Object branch = schema.get(accepts(said, value) ? "then" : "else");
                yield branch == null || accepts(branch, value) || broken(rule, said);
            }
            default -> value instanceof Map<?, ?> object && ofObject(rule)
                    ? inObject(schema, rule, said, object)
                    : value instanceof List<?> list && ofList(rule)
                            ? inList(schema, rule, said, list)
                            : ScalarRules.hold(rule, said, value) || broken(rule, said);
        };
    }

    private static boolean ofObject(String rule) {
        return switch (rule) {
            case "required", "dependentRequired", "dependentSchemas", "properties", "patternProperties",
                    "additionalProperties", "unevaluatedProperties", "propertyNames" -> true;
            default -> false;
        };
    }

    private static boolean ofList(String rule) {
        return switch (rule) {
            case "prefixItems", "items", "unevaluatedItems", "contains" -> true;
            default -> false;
        };
    }

    private boolean inObject(Map<?, ?> schema, String rule, Object said, Map<?, ?> value) {
        boolean fits = true;
        switch (rule) {
            case "required" -> {
                for (Object name : (List<?>) said) {
                    fits &= value.containsKey(name) || at(name, () -> broken(rule, said));
                }
            }
            case "dependentRequired" -> {
                for (Map.Entry<?, ?> entry : ((Map<?, ?>) said).entrySet()) {
                    fits &= !value.containsKey(entry.getKey()) || value.keySet().containsAll((List<?>) entry.getValue());
                }
                return fits || broken(rule, said);
            }
            case "propertyNames" -> {
                return value.keySet().stream().allMatch(name -> accepts(said, name)) || broken(rule, said);
            }
            case "additionalProperties" -> {
                for (String name : others(schema, value)) {
                    fits &= at(name, () -> fits(said, value.get(name), rule));
                }
            }
            case "unevaluatedProperties" -> {
                Evaluated evaluated = new Evaluated(this, value, null);
                evaluated.by(schema, true);
                for (Object name : value.keySet()) {
                    fits &= evaluated.has(name) || at(name, () -> fits(said, value.get(name), rule));
                }
            }
            default -> {
                for (Map.Entry<?, ?> entry : ((Map<?, ?>) said).entrySet()) {
                    fits &= named(rule, entry.getKey(), entry.getValue(), value);
                }
            }
        }
        return fits;
    }

    /** The rules that have a schema by name: of a property, of what a pattern names, or of the object itself. */
    private boolean named(String rule, Object key, Object schema, Map<?, ?> value) {
        if (rule.equals("patternProperties")) {
            boolean fits = true;
            for (Object name : value.keySet()) {
                fits &= !matches(key, name) || at(name, () -> fits(schema, value.get(name), rule));
            }
            return fits;
        }
        if (!value.containsKey(key)) {
            return true;
        }
        return rule.equals("properties")
                ? at(key, () -> fits(schema, value.get(key), rule))
                : fits(schema, value, rule);
    }

    private boolean inList(Map<?, ?> schema, String rule, Object said, List<?> value) {
        if (rule.equals("contains")) {
            return contains(schema, said, value);
        }
        List<?> prefix = SchemaTree.list(schema, "prefixItems");
        boolean isPrefix = rule.equals("prefixItems");
        Evaluated evaluated = new Evaluated(this, null, value);
        if (rule.equals("unevaluatedItems")) {
            evaluated.by(schema, true);
        }
        int first = rule.equals("items") ? prefix.size() : 0;
        int end = isPrefix ? Math.min(prefix.size(), value.size()) : value.size();
        boolean fits = true;
        for (int i = first; i < end; i++) {
            int index = i;
            Object item = isPrefix ? prefix.get(i) : said;
            fits &= evaluated.has(i) || at(i, () -> fits(item, value.get(index), rule));
        }
        return fits;
    }

    private boolean contains(Map<?, ?> schema, Object said, List<?> value) {
        long count = value.stream().filter(item -> accepts(said, item)).count();
        Object least = schema.get("minContains");
        Object most = schema.get("maxContains");
        if (PlainEquality.compare(count, least == null ? 1L : least) < 0) {
            return broken(least == null ? "contains" : "minContains", null);
        }
        return most == null || PlainEquality.compare(count, most) <= 0 || broken("maxContains", null);
    }

    private boolean every(List<?> schemas, String rule, Object value) {
        boolean fits = true;
        for (Object schema : schemas) {
            fits &= fits(schema, value, rule);
        }
        return fits;
    }

    private long count(List<?> schemas, Object value) {
        return schemas.stream().filter(schema -> accepts(schema, value)).count();
    }

    private interface Part {
        boolean fits();
    }

    private boolean at(Object step, Part part) {
        steps.add(step);
        boolean fits = part.fits();
        steps.remove(steps.size() - 1);
        return fits;
    }

    private boolean broken(String rule, Object said) {
        if (found != null) {
            found.add(new Violation(ArgumentPath.of(steps), rule, RuleMessage.of(rule, said)));
        }
        return false;
    }
}
