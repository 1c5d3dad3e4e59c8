// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.host;

import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.Portable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the first line says: {@code java} (a list of what {@code ToolRegistry.named} takes), {@code only} (names of the
 * tools to take; null: all), {@code inject} (values by name), {@code max_result_bytes}, {@code strict_values}, {@code
 * max_threads} (null: the executor's own) and {@code report}: whether events and metrics come with each answer.
 */
record Settings(
        List<String> java,
        List<String> only,
        Map<String, Object> inject,
        Long maxResultBytes,
        Boolean strictValues,
        Long maxThreads,
        boolean report) {

    static Settings read(String line) {
        Map<?, ?> told = object(Portable.decode(line), "the settings");
        return new Settings(
                texts(told.get("java"), "java"),
                told.get("only") == null ? null : texts(told.get("only"), "only"),
                values(told.get("inject")),
                (Long) told.get("max_result_bytes"),
                (Boolean) told.get("strict_values"),
                (Long) told.get("max_threads"),
                Boolean.TRUE.equals(told.get("report")));
    }

    static Map<?, ?> object(Object value, String what) {
        if (value instanceof Map<?, ?> map) {
            return map;
        }
        throw new Misuse(what + " are no JSON object; write one as the documentation of dev.isonomy.host says");
    }

    private static List<String> texts(Object value, String name) {
        List<String> texts = new ArrayList<>();
        for (Object item : value instanceof List<?> list ? list : List.of()) {
            if (!(item instanceof String text)) {
                throw new Misuse("the setting \"" + name + "\" is a list of texts; one item is none");
            }
            texts.add(text);
        }
        return texts;
    }

    private static Map<String, Object> values(Object value) {
        Map<String, Object> values = new LinkedHashMap<>();
        if (value != null) {
            object(value, "the injected values").forEach((name, item) -> values.put((String) name, item));
        }
        return values;
    }
}
