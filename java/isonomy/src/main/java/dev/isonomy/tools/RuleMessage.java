// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.util.Collection;
import java.util.List;
import java.util.Map;

/** What a person reads of a broken rule (clause 7.9). */
final class RuleMessage {

    /** Messages that name the value of the keyword: the text before it and after it. */
    private static final Map<String, String[]> WITH_VALUE = Map.ofEntries(
            around("minimum", "must be >= ", ""),
            around("maximum", "must be <= ", ""),
            around("exclusiveMinimum", "must be > ", ""),
            around("exclusiveMaximum", "must be < ", ""),
            around("multipleOf", "must be a multiple of ", ""),
            around("minLength", "must have at least ", " characters"),
            around("maxLength", "must have at most ", " characters"),
            around("minItems", "must have at least ", " items"),
            around("maxItems", "must have at most ", " items"),
            around("minProperties", "must have at least ", " properties"),
            around("maxProperties", "must have at most ", " properties"),
            around("enum", "expected one of ", ""),
            around("const", "expected ", ""));

    private static final Map<String, String> FIXED = Map.of(
            "required", "required",
            "additionalProperties", "unknown argument",
            "unevaluatedProperties", "unknown argument",
            "uniqueItems", "items must differ",
            "anyOf", "fits none of the allowed forms",
            "oneOf", "must fit exactly one of the allowed forms");

    private RuleMessage() {}

    /**
     * The message of a keyword.
     *
     * @param value what the keyword says in the schema
     */
    static String of(String keyword, Object value) {
        if (keyword.equals("type")) {
            return expected(value instanceof List<?> types ? types : List.of(String.valueOf(value)));
        }
        if (keyword.equals("pattern")) {
            return "must match " + JsonText.withoutSurrogates((String) value);
        }
        String fixed = FIXED.get(keyword);
        if (fixed != null) {
            return fixed;
        }
        String[] around = WITH_VALUE.get(keyword);
        return around == null ? "breaks the rule " + keyword : around[0] + JsonText.of(value) + around[1];
    }

    /** The message of the rule {@code type}. */
    static String expected(Collection<?> types) {
        return "expected " + String.join(" or ", types.stream().map(String::valueOf).toList());
    }

    private static Map.Entry<String, String[]> around(String keyword, String before, String after) {
        return Map.entry(keyword, new String[] {before, after});
    }
}
