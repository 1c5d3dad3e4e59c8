// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the body of a tool with a schema of its own receives: a copy that it may change, with the defaults of absent
 * parameters (clause 7.12) and with integers where the schema says integer (clause 7.4: 1.0 becomes 1).
 */
final class Completion {

    private final Shape shape;
    private final Map<String, Object> defaults = new LinkedHashMap<>();

    Completion(SchemaTree tree, Shape shape) {
        this.shape = shape;
        // Parameters stand at the top; a default deeper in the schema is an annotation.
        SchemaTree.object(tree.root(), "properties").forEach((name, property) -> {
            if (property instanceof Map<?, ?> map && map.containsKey("default")) {
                defaults.put((String) name, map.get("default"));
            }
        });
    }

    /** The arguments that the body receives for valid ones. */
    Map<String, Object> of(Map<String, Object> arguments) {
        @SuppressWarnings("unchecked") // a map stays a map
        Map<String, Object> copy = (Map<String, Object>) copy(shape, arguments);
        defaults.forEach((name, value) -> {
            if (!copy.containsKey(name)) {
                copy.put(name, copy(null, value));
            }
        });
        return copy;
    }

    /** A deep copy of a plain object. */
    static Map<String, Object> copy(Map<?, ?> object) {
        @SuppressWarnings("unchecked") // a map stays a map, and every key was seen to be a string
        Map<String, Object> copy = (Map<String, Object>) copy(null, object);
        return copy;
    }

    /** @param place what the schema says of the value, or null */
    private static Object copy(Shape place, Object value) {
        if (value instanceof Map<?, ?> object) {
            Map<String, Shape> properties = place == null ? Map.of() : place.properties();
            Map<String, Object> copy = new LinkedHashMap<>();
            object.forEach((name, member) -> copy.put((String) name, copy(properties.get(name), member)));
            return copy;
        }
        if (value instanceof List<?> list) {
            Shape item = place == null ? null : place.items();
            List<Object> copy = new ArrayList<>(list.size());
            list.forEach(each -> copy.add(copy(item, each)));
            return copy;
        }
        return value instanceof Double number && place != null && place.isInteger() ? integer(number) : value;
    }

    private static Object integer(Double number) {
        return TypeCheck.isInteger(number) ? PlainValues.integer(new BigDecimal(number).toBigInteger()) : number;
    }
}
