// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An enum: the name of one of its constants (clause 5.23). */
final class EnumForm implements Form {

    private final Map<String, Object> constants = new HashMap<>();
    private final List<Object> names = new ArrayList<>();

    EnumForm(Class<?> type) {
        for (Object constant : type.getEnumConstants()) {
            String name = ((Enum<?>) constant).name();
            names.add(name);
            constants.put(name, constant);
        }
    }

    @Override
    public Map<String, Object> schema(Definitions definitions) {
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("type", "string");
        schema.put("enum", List.copyOf(names));
        return schema;
    }

    @Override
    public Object bind(Object value) throws Unreadable {
        Object constant = constants.get(value);
        if (constant == null) {
            throw new Unreadable("enum");
        }
        return constant;
    }

    @Override
    public boolean isText() {
        return true;
    }
}
