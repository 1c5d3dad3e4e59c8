// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.host;

import dev.isonomy.bridge.WrittenReferences;
import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.Portable;
import dev.isonomy.tools.ToolReference;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the first line says: {@code java} (a list of objects: {@code reference}, see {@link WrittenReferences},
 * and {@code only}, the names of the tools to take of it, null: all), {@code python} (a list of
 * {@link PythonSource}s), {@code inject} (values by name), {@code
 * max_result_bytes}, {@code strict_values}, {@code max_threads} (null: the executor's own), {@code identity_key} (a text,
 * null: none), {@code journal} (the file of a journal in SQLite that keeps the batches, null: none) and {@code report}:
 * whether events and metrics come with each answer.
 */
record Settings(
        List<JavaSource> java,
        List<PythonSource> python,
        Map<String, Object> inject,
        Long maxResultBytes,
        Boolean strictValues,
        Long maxThreads,
        String identityKey,
        String journal,
        boolean report) {

    /** Tools of a class, or one method of it; {@code only} is null where all are taken. */
    record JavaSource(ToolReference reference, List<String> only) {}

    /**
     * Tools of Python modules, or single tools of them ({@code acme.prices#find}), which run in so many worker processes
     * of that interpreter, where no other source's do; {@code path} are folders to import from.
     */
    record PythonSource(List<String> tools, List<String> path, String python, int workers) {}

    static Settings read(String line) {
        Map<?, ?> told = object(Portable.decode(line), "the settings");
        return new Settings(
                sources(told.get("java")),
                python(told.get("python")),
                values(told.get("inject")),
                (Long) told.get("max_result_bytes"),
                (Boolean) told.get("strict_values"),
                (Long) told.get("max_threads"),
                (String) told.get("identity_key"),
                (String) told.get("journal"),
                Boolean.TRUE.equals(told.get("report")));
    }

    static Map<?, ?> object(Object value, String what) {
        if (value instanceof Map<?, ?> map) {
            return map;
        }
        throw new Misuse(what + " are no JSON object; write one as the documentation of dev.isonomy.host says");
    }

    private static List<JavaSource> sources(Object value) {
        List<JavaSource> sources = new ArrayList<>();
        for (Object item : value instanceof List<?> list ? list : List.of()) {
            Map<?, ?> source = object(item, "the sources of Java tools");
            sources.add(new JavaSource(
                    WrittenReferences.of(object(source.get("reference"), "the names of Java tools")),
                    texts(source.get("only"))));
        }
        return sources;
    }

    private static List<PythonSource> python(Object value) {
        List<PythonSource> sources = new ArrayList<>();
        for (Object item : value instanceof List<?> list ? list : List.of()) {
            Map<?, ?> source = object(item, "the sources of Python tools");
            sources.add(new PythonSource(
                    texts(source.get("tools")),
                    texts(source.get("path")),
                    (String) source.get("python"),
                    Math.toIntExact((Long) source.get("workers"))));
        }
        return sources;
    }

    private static List<String> texts(Object value) {
        return value instanceof List<?> list ? list.stream().map(String.class::cast).toList() : null;
    }

    private static Map<String, Object> values(Object value) {
        Map<String, Object> values = new LinkedHashMap<>();
        if (value != null) {
            object(value, "the injected values").forEach((name, item) -> values.put((String) name, item));
        }
        return values;
    }
}
