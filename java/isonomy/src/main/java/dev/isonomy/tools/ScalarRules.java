// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;

/** The rules of JSON Schema that look at one value and at no schema inside. */
final class ScalarRules {

    private ScalarRules() {}

    /** Whether a value keeps a rule; true for values and rules that this is not about. */
    static boolean hold(String rule, Object said, Object value) {
        return switch (rule) {
            case "type" -> isType(said, value);
            case "enum" -> ((List<?>) said).stream().anyMatch(one -> PlainEquality.equal(one, value));
            case "const" -> PlainEquality.equal(said, value);
            case "minimum" -> !(value instanceof Number) || PlainEquality.compare(value, said) >= 0;
            case "maximum" -> !(value instanceof Number) || PlainEquality.compare(value, said) <= 0;
            case "exclusiveMinimum" -> !(value instanceof Number) || PlainEquality.compare(value, said) > 0;
            case "exclusiveMaximum" -> !(value instanceof Number) || PlainEquality.compare(value, said) < 0;
            case "multipleOf" -> !(value instanceof Number) || isMultiple(value, said);
            case "uniqueItems" -> !(value instanceof List<?> list)
                    || Boolean.FALSE.equals(said)
                    || PlainEquality.distinct(list);
            case "minLength", "minItems", "minProperties" ->
                size(rule, value) < 0 || PlainEquality.compare(size(rule, value), said) >= 0;
            case "maxLength", "maxItems", "maxProperties" -> PlainEquality.compare(size(rule, value), said) <= 0;
            default -> true;
        };
    }

    /** Whether a number is a multiple of another, both as they are written in decimals. */
    static boolean isMultiple(Object value, Object of) {
        if (value instanceof Long one && of instanceof Long other) {
            return one % other == 0;
        }
        return written(value).remainder(written(of)).signum() == 0;
    }

    private static BigDecimal written(Object number) {
        if (number instanceof Long one) {
            return BigDecimal.valueOf(one);
        }
        return number instanceof BigInteger one ? new BigDecimal(one) : new BigDecimal(JsonText.of(number));
    }

    private static boolean isType(Object said, Object value) {
        if (!(said instanceof List<?> types)) {
            return TypeCheck.of(said).accepts(value);
        }
        return types.stream().anyMatch(type -> TypeCheck.of(type).accepts(value));
    }

    /** The size that a rule speaks of, or -1 where it does not speak of the value. */
    private static long size(String rule, Object value) {
        if (rule.endsWith("Length")) {
            return value instanceof String text ? text.codePointCount(0, text.length()) : -1;
        }
        if (rule.endsWith("Items")) {
            return value instanceof List<?> list ? list.size() : -1;
        }
        return value instanceof Map<?, ?> map ? map.size() : -1;
    }
}
