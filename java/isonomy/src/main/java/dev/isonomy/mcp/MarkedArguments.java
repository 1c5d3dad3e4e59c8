// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.HashSet;
import java.util.regex.Pattern;

/**
 * The arguments of a tool that its schema marks with {@code x-mcp-header}, which revision 2026-07-28 wants in headers as
 * well (clause 14.19). Immutable.
 */
final class MarkedArguments {

    private static final String MARK = "x-mcp-header";
    private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+\\-.^_`|~0-9A-Za-z]+");
    private static final Set<Object> TYPES = Set.of("string", "integer", "boolean");
    private static final int MOST_DEPTH = 100;

    /** One mark: the names that lead to the argument, and the header. */
    private record Mark(List<String> path, String header) {}

    private final List<Mark> marks = new ArrayList<>();

    /** @param schema plain values; a mark that is not as it has to be counts as none */
    MarkedArguments(Map<?, ?> schema) {
        find(schema, List.of(), new HashSet<>());
    }

    private void find(Map<?, ?> schema, List<String> path, Set<String> taken) {
        if (!path.isEmpty()
                && schema.get(MARK) instanceof String token
                && TOKEN.matcher(token).matches()
                && schema.get("type") instanceof String type
                && TYPES.contains(type)
                && taken.add(token.toLowerCase(Locale.ROOT))) {
            marks.add(new Mark(path, "Mcp-Param-" + token));
        }
        if (path.size() < MOST_DEPTH && schema.get("properties") instanceof Map<?, ?> properties) {
            properties.forEach((name, property) -> {
                if (property instanceof Map<?, ?> inner) {
                    List<String> further = new ArrayList<>(path);
                    further.add((String) name);
                    find(inner, List.copyOf(further), taken);
                }
            });
        }
    }

    /** The headers for such arguments; what is absent, null or no scalar has none. */
    Map<String, String> headers(Map<String, ?> arguments) {
        if (marks.isEmpty()) {
            return Map.of();
        }
        Map<String, String> headers = new LinkedHashMap<>();
        for (Mark mark : marks) {
            Object value = arguments;
            for (String name : mark.path) {
                value = value instanceof Map<?, ?> map ? map.get(name) : null;
            }
            String text = text(value);
            if (text != null) {
                headers.put(mark.header, text);
            }
        }
        return headers;
    }

    private static String text(Object value) {
        if (value instanceof Double number) {
            return Double.isFinite(number) ? new BigDecimal(number).toPlainString() : null;
        }
        boolean isScalar =
                value instanceof String || value instanceof Boolean || value instanceof Long || value instanceof BigInteger;
        return isScalar ? value.toString() : null;
    }
}
