// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The names or positions in one value that schemas speak of, for {@code unevaluatedProperties} and its like. */
final class Evaluated {

    private final SchemaJudge judge;
    private final Map<?, ?> object;
    private final List<?> list;
    private final Set<Object> done = new HashSet<>();

    /** One of the two values is null. */
    Evaluated(SchemaJudge judge, Map<?, ?> object, List<?> list) {
        this.judge = judge;
        this.object = object;
        this.list = list;
    }

    /** Whether some schema speaks of a name or position. */
    boolean has(Object step) {
        return done.contains(step);
    }

    /**
     * Adds what a schema speaks of.
     *
     * @param outermost whether it is the one that asks what is left
     */
    void by(Object schema, boolean outermost) {
        if (!(schema instanceof Map<?, ?> rules)) {
            return;
        }
        if (object != null) {
            names(rules, outermost);
        } else {
            positions(rules, outermost);
        }
        judge.tree().targets(rules).forEach(target -> by(target, false));
        SchemaTree.list(rules, "allOf").forEach(part -> by(part, false));
        for (String keyword : new String[] {"anyOf", "oneOf"}) {
            SchemaTree.list(rules, keyword).stream().filter(this::accepted).forEach(part -> by(part, false));
        }
        if (rules.containsKey("if")) {
            boolean holds = accepted(rules.get("if"));
            if (holds) {
                by(rules.get("if"), false);
            }
            by(rules.get(holds ? "then" : "else"), false);
        }
        if (object != null) {
            SchemaTree.object(rules, "dependentSchemas").forEach((name, part) -> {
                if (object.containsKey(name)) {
                    by(part, false);
                }
            });
        }
    }

    private boolean accepted(Object schema) {
        return judge.accepts(schema, object == null ? list : object);
    }

    private void names(Map<?, ?> rules, boolean outermost) {
        boolean all = rules.containsKey("additionalProperties") || !outermost && rules.containsKey("unevaluatedProperties");
        Set<Object> spoken = new HashSet<>(object.keySet());
        if (!all) {
            spoken.removeAll(Set.copyOf(judge.others(rules, object)));
        }
        done.addAll(spoken);
    }

    private void positions(Map<?, ?> rules, boolean outermost) {
        boolean all = rules.containsKey("items") || !outermost && rules.containsKey("unevaluatedItems");
        int first = SchemaTree.list(rules, "prefixItems").size();
        for (int i = 0; i < list.size(); i++) {
            if (all || i < first || rules.containsKey("contains") && judge.accepts(rules.get("contains"), list.get(i))) {
                done.add(i);
            }
        }
    }
}
