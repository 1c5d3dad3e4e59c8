// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * An {@code Optional}. As a parameter it is a value that may be absent, and null counts as absent (clause 7.5);
 * inside a list or a map, where nothing can be absent, null stands for the empty one.
 */
final class OptionalForm implements Form {

    private final Class<?> type;
    private final Form inner;

    OptionalForm(Class<?> type, Form inner) {
        this.type = type;
        this.inner = inner;
    }

    /** Whether a class is one of the optionals. */
    static boolean covers(Class<?> type) {
        return type == Optional.class
                || type == OptionalInt.class
                || type == OptionalLong.class
                || type == OptionalDouble.class;
    }

    /** The class of the value in a primitive optional. */
    static Class<?> primitive(Class<?> type) {
        return type == OptionalInt.class ? int.class : type == OptionalLong.class ? long.class : double.class;
    }

    /** The form of the value that is there. */
    Form inner() {
        return inner;
    }

    @Override
    public Map<String, Object> schema(Definitions definitions) {
        Map<String, Object> schema = inner.schema(definitions);
        if (schema.get("type") instanceof String one && !schema.containsKey("enum")) {
            schema.put("type", List.of(one, "null"));
            return schema;
        }
        if (schema.isEmpty()) {
            return schema;
        }
        List<Object> either = new ArrayList<>();
        either.add(schema);
        either.add(Map.of("type", "null"));
        Map<String, Object> nullable = new LinkedHashMap<>();
        nullable.put("anyOf", either);
        return nullable;
    }

    @Override
    public Object bind(Object value) throws Unreadable {
        return value == null ? absent() : wrap(inner.bind(value));
    }

    @Override
    public Object absent() {
        if (type == OptionalInt.class) {
            return OptionalInt.empty();
        }
        if (type == OptionalLong.class) {
            return OptionalLong.empty();
        }
        return type == OptionalDouble.class ? OptionalDouble.empty() : Optional.empty();
    }

    @Override
    public boolean isText() {
        return inner.isText();
    }

    private Object wrap(Object value) {
        if (type == OptionalInt.class) {
            return OptionalInt.of((Integer) value);
        }
        if (type == OptionalLong.class) {
            return OptionalLong.of((Long) value);
        }
        return type == OptionalDouble.class ? OptionalDouble.of((Double) value) : Optional.ofNullable(value);
    }
}
