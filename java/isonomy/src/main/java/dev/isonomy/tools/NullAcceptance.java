// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Whether a schema accepts null (clause 7.5). Every keyword that is not looked at here speaks of other types. */
final class NullAcceptance {

    /** Schemas inside each other: this many are a circle, which nothing fits. */
    private static final int MAX_DEPTH = 64;

    private final SchemaTree tree;

    NullAcceptance(SchemaTree tree) {
        this.tree = tree;
    }

    boolean accepted(Object schema) {
        return accepted(schema, 0);
    }

    private boolean accepted(Object schema, int depth) {
        if (schema instanceof Boolean all) {
            return all;
        }
        if (!(schema instanceof Map<?, ?> rules)) {
            return true;
        }
        if (depth == MAX_DEPTH) {
            return false;
        }
        return referenced(rules, depth) && typed(rules) && listed(rules) && combined(rules, depth + 1);
    }

    private boolean referenced(Map<?, ?> rules, int depth) {
        return !(rules.get("$ref") instanceof String reference) || accepted(tree.resolve(reference), depth + 1);
    }

    private static boolean typed(Map<?, ?> rules) {
        return !rules.containsKey("type") || SchemaTree.types(rules).contains("null");
    }

    private static boolean listed(Map<?, ?> rules) {
        return !(rules.get("enum") instanceof List<?> members && members.stream().noneMatch(Objects::isNull))
                && !(rules.containsKey("const") && rules.get("const") != null);
    }

    private boolean combined(Map<?, ?> rules, int depth) {
        if (rules.get("allOf") instanceof List<?> all && !all.stream().allMatch(one -> accepted(one, depth))) {
            return false;
        }
        if (rules.get("anyOf") instanceof List<?> any && any.stream().noneMatch(one -> accepted(one, depth))) {
            return false;
        }
        if (rules.get("oneOf") instanceof List<?> one && one.stream().filter(each -> accepted(each, depth)).count() != 1) {
            return false;
        }
        if (rules.containsKey("not") && accepted(rules.get("not"), depth)) {
            return false;
        }
        if (!rules.containsKey("if")) {
            return true;
        }
        String branch = accepted(rules.get("if"), depth) ? "then" : "else";
        return !rules.containsKey(branch) || accepted(rules.get(branch), depth);
    }
}
