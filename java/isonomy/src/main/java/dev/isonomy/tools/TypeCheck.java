// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.tools.SchemaCheck.Check;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;

/** The JSON type of a plain value, as the keyword {@code type} names it. */
final class TypeCheck {

    private TypeCheck() {}

    /** The check of the keyword's value, one name or a list of them. */
    static Check of(Object keyword) {
        if (keyword instanceof List<?> names) {
            Check[] types = names.stream().map(TypeCheck::one).toArray(Check[]::new);
            return value -> {
                for (Check type : types) {
                    if (type.accepts(value)) {
                        return true;
                    }
                }
                return false;
            };
        }
        return one(keyword);
    }

    private static Check one(Object name) {
        return switch (String.valueOf(name)) {
            case "string" -> value -> value instanceof String;
            case "integer" -> TypeCheck::isInteger;
            case "number" -> value -> value instanceof Number;
            case "boolean" -> value -> value instanceof Boolean;
            case "object" -> value -> value instanceof Map;
            case "array" -> value -> value instanceof List;
            case "null" -> value -> value == null;
            default -> value -> false;
        };
    }

    /** Whether a value is an integer: 1.0 is one, 1.5 is none (clause 7.4). */
    static boolean isInteger(Object value) {
        return value instanceof Long
                || value instanceof BigInteger
                || value instanceof Double number && number == Math.rint(number) && !number.isInfinite();
    }
}
