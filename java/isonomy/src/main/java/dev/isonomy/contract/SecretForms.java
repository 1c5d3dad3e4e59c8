// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A secret text as it is and as it is escaped (clause 12.5). */
final class SecretForms {
    private static final String LOWER = "0123456789abcdef";
    private static final String UPPER = "0123456789ABCDEF";

    private SecretForms() {}

    static Set<String> of(String text) {
        String wellFormed = ErrorText.wellFormed(text);
        Set<String> forms = new LinkedHashSet<>();
        for (String each : List.of(text, wellFormed)) {
            forms.add(each);
            forms.add(json(each, false, LOWER));
            forms.add(json(each, true, LOWER));
            forms.add(json(each, true, UPPER));
            for (boolean newer : List.of(false, true)) {
                forms.add(python(each, "'", newer));
                forms.add(python(each, "\\'", newer));
            }
        }
        forms.add(percent(wellFormed));
        return forms;
    }

    /** Bytes as Python writes them. */
    static List<String> pythonBytes(byte[] data) {
        return List.of(pythonBytes(data, "'"), pythonBytes(data, "\\'"));
    }

    /** The inside of a JSON string. */
    private static String json(String text, boolean toAscii, String digits) {
        StringBuilder out = new StringBuilder(text.length() + 8);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"', '\\' -> out.append('\\').append(c);
                case '\b' -> out.append("\\b");
                case '\t' -> out.append("\\t");
                case '\n' -> out.append("\\n");
                case '\f' -> out.append("\\f");
                case '\r' -> out.append("\\r");
                default -> {
                    if (c < ' ' || toAscii && c > '~') {
                        hex(out.append("\\u"), c, 4, digits);
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        return out.toString();
    }

    /**
     * The inside of what Python's repr of a string gives.
     *
     * @param newer whether it knows code points, and prints them, that this Java does not know yet
     */
    private static String python(String text, String quote, boolean newer) {
        StringBuilder out = new StringBuilder(text.length() + 8);
        text.codePoints().forEach(point -> {
            if (point < 0x7F) {
                pythonAscii(out, point, quote);
            } else if (isPrintable(point) || newer && Character.getType(point) == Character.UNASSIGNED) {
                out.appendCodePoint(point);
            } else if (point < 0x100) {
                hex(out.append("\\x"), point, 2, LOWER);
            } else if (point < 0x10000) {
                hex(out.append("\\u"), point, 4, LOWER);
            } else {
                hex(out.append("\\U"), point, 8, LOWER);
            }
        });
        return out.toString();
    }

    private static String pythonBytes(byte[] data, String quote) {
        StringBuilder out = new StringBuilder(data.length + 8);
        for (byte each : data) {
            if (each >= 0 && each < 0x7F) {
                pythonAscii(out, each, quote);
            } else {
                hex(out.append("\\x"), each & 0xFF, 2, LOWER);
            }
        }
        return out.toString();
    }

    private static void pythonAscii(StringBuilder out, int c, String quote) {
        switch (c) {
            case '\'' -> out.append(quote);
            case '\\' -> out.append("\\\\");
            case '\t' -> out.append("\\t");
            case '\n' -> out.append("\\n");
            case '\r' -> out.append("\\r");
            default -> {
                if (c < ' ') {
                    hex(out.append("\\x"), c, 2, LOWER);
                } else {
                    out.append((char) c);
                }
            }
        }
    }

    /** Whether Python prints a code point as it is. */
    private static boolean isPrintable(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL, Character.FORMAT, Character.SURROGATE, Character.PRIVATE_USE, Character.UNASSIGNED,
                    Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR, Character.SPACE_SEPARATOR -> false;
            default -> true;
        };
    }

    private static String percent(String text) {
        StringBuilder out = new StringBuilder(text.length() + 8);
        for (byte each : text.getBytes(UTF_8)) {
            if (each >= 0 && SecretRules.isAlphanumeric((char) each) || "-._~".indexOf(each) >= 0) {
                out.append((char) each);
            } else {
                hex(out.append('%'), each & 0xFF, 2, UPPER);
            }
        }
        return out.toString();
    }

    private static void hex(StringBuilder out, int value, int length, String digits) {
        for (int shift = 4 * (length - 1); shift >= 0; shift -= 4) {
            out.append(digits.charAt(value >>> shift & 0xF));
        }
    }
}
