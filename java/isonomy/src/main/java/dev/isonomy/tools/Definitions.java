// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The {@code $defs} of a schema that is being derived. Only what refers to itself needs a name;
 * everything else is written where it stands.
 */
final class Definitions {

    private final Map<Object, String> names = new HashMap<>();
    private final Map<String, Object> schemas = new LinkedHashMap<>();

    /**
     * The schema that {@code write} gives, or a reference where {@code key} is being written
     * already or was found to refer to itself.
     */
    Map<String, Object> write(Object key, String wanted, Supplier<Map<String, Object>> write) {
        String name = names.get(key);
        if (name != null) {
            schemas.putIfAbsent(name, Map.of());
            return reference(name);
        }
        name = free(wanted);
        names.put(key, name);
        Map<String, Object> schema = write.get();
        if (!schemas.containsKey(name)) {
            names.remove(key);
            return schema;
        }
        schemas.put(name, schema);
        return reference(name);
    }

    /** The schema of a form on its own, with the definitions that it refers to. */
    static Map<String, Object> whole(Form form) {
        Definitions definitions = new Definitions();
        return definitions.completed(form.schema(definitions));
    }

    /** The schema with the definitions that it refers to. */
    Map<String, Object> completed(Map<String, Object> schema) {
        if (!schemas.isEmpty()) {
            schema.put("$defs", schemas);
        }
        return schema;
    }

    private String free(String wanted) {
        String name = wanted;
        for (int i = 2; names.containsValue(name) || schemas.containsKey(name); i++) {
            name = wanted + i;
        }
        return name;
    }

    private static Map<String, Object> reference(String name) {
        Map<String, Object> reference = new LinkedHashMap<>();
        reference.put("$ref", "#/$defs/" + name);
        return reference;
    }
}
