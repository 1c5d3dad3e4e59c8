// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.math.BigInteger;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the keywords of JSON Schema (2020-12) may say. */
final class SchemaKeywords {

    private static final Set<String> TYPES =
            Set.of("array", "boolean", "integer", "null", "number", "object", "string");

    private SchemaKeywords() {}

    /**
     * Checks what each keyword of a schema says, but not the schemas inside.
     *
     * @throws SchemaFault one says what it cannot
     */
    static void check(Map<?, ?> schema, String place) {
        schema.forEach((keyword, said) -> {
            String wanted = fault(String.valueOf(keyword), said);
            if (wanted != null) {
                throw new SchemaFault("at " + place + " the " + keyword + " is not " + wanted);
            }
        });
    }

    /** What a keyword has to be where it is not, or null. */
    private static String fault(String keyword, Object said) {
        return switch (keyword) {
            case "type" -> isTypes(said) ? null : "a type or a list of different types";
            case "enum", "examples" -> said instanceof List ? null : "a list";
            case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum" ->
                said instanceof Number ? null : "a number";
            case "multipleOf" -> isAbove(said, 0, true) ? null : "a number above 0";
            case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains",
                    "maxContains" ->
                isAbove(said, 0, false) && TypeCheck.isInteger(said) ? null : "a whole number from 0";
            case "required" -> isNames(said) ? null : "a list of different names";
            case "dependentRequired" -> said instanceof Map<?, ?> map
                            && map.values().stream().allMatch(SchemaKeywords::isNames)
                    ? null
                    : "an object of lists of different names";
            case "properties", "patternProperties", "dependentSchemas", "$defs", "definitions" ->
                said instanceof Map ? null : "an object";
            case "allOf", "anyOf", "oneOf", "prefixItems" ->
                said instanceof List<?> list && !list.isEmpty() ? null : "a list of at least one schema";
            case "uniqueItems", "deprecated", "readOnly", "writeOnly" ->
                said instanceof Boolean ? null : "true or false";
            case "pattern", "$ref", "$dynamicRef", "$id", "$anchor", "$dynamicAnchor", "$schema", "title",
                    "description", "format", "contentEncoding", "contentMediaType", "$comment" ->
                said instanceof String ? null : "a text";
            default -> null;
        };
    }

    private static boolean isAbove(Object said, long bound, boolean strictly) {
        if (!(said instanceof Number)) {
            return false;
        }
        int order = PlainEquality.compare(said, BigInteger.valueOf(bound));
        return strictly ? order > 0 : order >= 0;
    }

    private static boolean isNames(Object said) {
        return said instanceof List<?> list
                && list.stream().allMatch(String.class::isInstance)
                && new HashSet<>(list).size() == list.size();
    }

    private static boolean isTypes(Object said) {
        if (said instanceof String one) {
            return TYPES.contains(one);
        }
        return isNames(said) && !((List<?>) said).isEmpty() && TYPES.containsAll((List<?>) said);
    }
}
