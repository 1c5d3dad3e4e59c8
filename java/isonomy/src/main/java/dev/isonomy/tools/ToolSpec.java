// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.contract.Misuse;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is known of a tool without running it.
 *
 * @param name the name that calls use, not blank
 * @param description what the tool does, for the model; empty where nothing was said
 * @param inputSchema JSON Schema (2020-12) of the arguments as plain JSON
 * @param injected the parameters that the host fills in, by parameter name (clause 7.13)
 * @param version the author's version, or null
 * @param maxParallel how many calls may run at once (clause 8.7); 0: no limit of its own
 * @param deadline how long one call may take (clause 8.8), or null
 * @param language where the body runs: {@code java}, {@code python}, {@code mcp}
 * @param server the server it belongs to, for metrics, or null
 */
public record ToolSpec(
        String name,
        String description,
        Map<String, Object> inputSchema,
        Map<String, InjectedParameter> injected,
        String version,
        int maxParallel,
        Duration deadline,
        String language,
        String server) {

    /** Checks the fields and copies the schema. */
    public ToolSpec {
        if (name == null || name.isBlank()) {
            throw new Misuse("a tool's name is a text that is not blank, got \"" + name + "\"");
        }
        description = description == null ? "" : description;
        if (inputSchema == null) {
            throw new Misuse("tool \"" + name + "\" has no input schema; give it one, at least {}");
        }
        inputSchema = frozen(inputSchema);
        injected = Map.copyOf(injected);
        if (maxParallel < 0) {
            throw new Misuse(
                    "tool \"" + name + "\": maxParallel is at least 1, or 0 for no limit, got "
                            + maxParallel);
        }
        if (deadline != null && (deadline.isZero() || deadline.isNegative())) {
            throw new Misuse("tool \"" + name + "\": a deadline is positive, got " + deadline);
        }
    }

    private static Map<String, Object> frozen(Map<String, Object> map) {
        Map<String, Object> copy = new LinkedHashMap<>();
        map.forEach((key, value) -> copy.put(key, frozenValue(value)));
        return Collections.unmodifiableMap(copy);
    }

    @SuppressWarnings("unchecked") // every map of a schema has strings as keys
    private static Object frozenValue(Object value) {
        if (value instanceof Map<?, ?> map) {
            return frozen((Map<String, Object>) map);
        }
        // Not List.copyOf: an enum may hold null.
        return value instanceof List<?> list ? list.stream().map(ToolSpec::frozenValue).toList() : value;
    }
}
