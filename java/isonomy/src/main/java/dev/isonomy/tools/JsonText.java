// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.contract.Portable;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** Values of a schema, and names, as compact JSON for messages (clause 7.7). */
final class JsonText {

    private JsonText() {}

    /** A plain value. */
    static String of(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    /** The text with U+FFFD for each lone surrogate. */
    static String withoutSurrogates(String text) {
        StringBuilder out = new StringBuilder(text.length());
        text.codePoints()
                .map(point -> point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE ? 0xFFFD : point)
                .forEach(out::appendCodePoint);
        return out.toString();
    }

    private static void write(Object value, StringBuilder out) {
        if (value instanceof String text) {
            quote(text, out);
        } else if (value instanceof Map<?, ?> map) {
            String before = "{";
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                quote((String) entry.getKey(), out.append(before));
                write(entry.getValue(), out.append(':'));
                before = ",";
            }
            out.append(map.isEmpty() ? "{}" : "}");
        } else if (value instanceof List<?> list) {
            String before = "[";
            for (Object item : list) {
                write(item, out.append(before));
                before = ",";
            }
            out.append(list.isEmpty() ? "[]" : "]");
        } else if (value instanceof Double number) {
            out.append(new String(Portable.encode(number), StandardCharsets.UTF_8));
        } else {
            out.append(value);
        }
    }

    private static void quote(String text, StringBuilder out) {
        out.append('"');
        withoutSurrogates(text).codePoints().forEach(point -> {
            switch (point) {
                case '"', '\\' -> out.append('\\').append((char) point);
                case '\b' -> out.append("\\b");
                case '\f' -> out.append("\\f");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (point < 0x20) {
                        out.append(String.format("\\u%04x", point));
                    } else {
                        out.appendCodePoint(point);
                    }
                }
            }
        });
        out.append('"');
    }
}
