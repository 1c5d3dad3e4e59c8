// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.host;

import dev.isonomy.bridge.WrittenReferences;
import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.Portable;
import dev.isonomy.tools.ToolReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the first line says: {@code java} (a list of objects: {@code reference}, see {@link WrittenReferences},
 * and {@code only}, the names of the tools to take of it, null: all), {@code python} (a list of
 * {@link PythonSource}s), {@code mcp} (a list of {@link McpSource}s, the durations as {@code timeout_ms} and {@code
 * start_timeout_ms}, {@code maxReply} as {@code max_reply}), {@code inject} (values by name), {@code
 * max_result_bytes}, {@code strict_values}, {@code max_threads} (null: the executor's own), {@code
 * identity_key} (a text, null: none), {@code journal} (the file of a journal in SQLite that keeps the batches, null:
 * none), {@code report}: whether events and metrics come with each answer, and {@code watch}: whether events come while a batch runs.
 */
record Settings(
        List<JavaSource> java,
        List<PythonSource> python,
        List<McpSource> mcp,
        Map<String, Object> inject,
        Long maxResultBytes,
        Boolean strictValues,
        Long maxThreads,
        String identityKey,
        String journal,
        boolean report,
        boolean watch) {

    /** Tools of a class, or one method of it; {@code only} is null where all are taken. */
    record JavaSource(ToolReference reference, List<String> only) {}

    /**
     * Tools of Python modules, or single tools of them ({@code acme.prices#find}), which run in so many worker processes
     * of that interpreter, where no other source's do; {@code path} are folders to import from.
     */
    record PythonSource(List<String> tools, List<String> path, String python, int workers) {}

    /**
     * An MCP server, as {@link dev.isonomy.mcp.McpServerBuilder} takes it: of {@code command} and {@code url} one is null, as
     * is of the others what was not set.
     */
    record McpSource(
            String name,
            List<String> command,
            String url,
            Map<String, String> env,
            Map<String, String> headers,
            String cwd,
            Duration timeout,
            Duration startTimeout,
            Long maxReply,
            List<String> tools) {}

    static Settings read(String line) {
        Map<?, ?> told = object(Portable.decode(line), "the settings");
        return new Settings(
                sources(told.get("java")),
                python(told.get("python")),
                mcp(told.get("mcp")),
                values(told.get("inject")),
                (Long) told.get("max_result_bytes"),
                (Boolean) told.get("strict_values"),
                (Long) told.get("max_threads"),
                (String) told.get("identity_key"),
                (String) told.get("journal"),
                Boolean.TRUE.equals(told.get("report")),
                Boolean.TRUE.equals(told.get("watch")));
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

    private static List<McpSource> mcp(Object value) {
        List<McpSource> sources = new ArrayList<>();
        for (Object item : value instanceof List<?> list ? list : List.of()) {
            Map<?, ?> source = object(item, "the MCP servers");
            sources.add(new McpSource(
                    (String) source.get("name"),
                    texts(source.get("command")),
                    (String) source.get("url"),
                    textsByName(source.get("env")),
                    textsByName(source.get("headers")),
                    (String) source.get("cwd"),
                    duration(source.get("timeout_ms")),
                    duration(source.get("start_timeout_ms")),
                    (Long) source.get("max_reply"),
                    texts(source.get("tools"))));
        }
        return sources;
    }

    private static Map<String, String> textsByName(Object value) {
        Map<String, String> texts = new LinkedHashMap<>();
        values(value).forEach((name, item) -> texts.put(name, (String) item));
        return texts;
    }

    /** Milliseconds, or null. */
    static Duration duration(Object millis) {
        return millis instanceof Long given ? Duration.ofMillis(given) : null;
    }

    private static List<String> texts(Object value) {
        return value instanceof List<?> list ? list.stream().map(String.class::cast).toList() : null;
    }

    private static Map<String, Object> values(Object value) {
        Map<String, Object> values = new LinkedHashMap<>();
        if (value != null) {
            object(value, "the values by name").forEach((name, item) -> values.put((String) name, item));
        }
        return values;
    }
}
