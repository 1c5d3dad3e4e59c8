// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/** Tokens that are known by their shape (clause 12.2 e). Each method answers where one ends that begins at an index, or -1. */
final class TokenShapes {
    private static final String PEM_BEGIN = "-----BEGIN ";
    private static final String PEM_END = "-----END ";
    private static final String PEM_KEY = "PRIVATE KEY-----";

    private TokenShapes() {}

    /** A token with a known prefix, or three parts of base64url of which the first starts with eyJ. */
    static int tokenEnd(String text, int at) {
        return switch (text.charAt(at)) {
            case 's' -> text.startsWith("sk-", at) ? shapedEnd(text, at + 3, 16, "_-", false) : -1;
            case 'g' -> text.startsWith("gh", at) && isOneOf(text, at + 2, "pousr") && isOneOf(text, at + 3, "_")
                    ? shapedEnd(text, at + 4, 20, "", false)
                    : -1;
            case 'A' -> text.startsWith("AKIA", at) ? shapedEnd(text, at + 4, 16, "", true) : -1;
            case 'x' -> text.startsWith("xox", at) && isOneOf(text, at + 3, "abprs") && isOneOf(text, at + 4, "-")
                    ? shapedEnd(text, at + 5, 10, "-", false)
                    : -1;
            case 'e' -> text.startsWith("eyJ", at) ? webTokenEnd(text, at) : -1;
            default -> -1;
        };
    }

    private static boolean isOneOf(String text, int index, String characters) {
        return index < text.length() && characters.indexOf(text.charAt(index)) >= 0;
    }

    /** The end of a run of at least so many alphanumerics and signs, or -1. */
    private static int shapedEnd(String text, int start, int min, String signs, boolean upperCase) {
        int end = start;
        while (end < text.length() && isPart(text.charAt(end), signs, upperCase)) {
            end++;
        }
        return end - start >= min ? end : -1;
    }

    private static boolean isPart(char c, String signs, boolean upperCase) {
        return isAlphanumeric(c) && !(upperCase && c >= 'a' && c <= 'z') || signs.indexOf(c) >= 0;
    }

    private static int webTokenEnd(String text, int at) {
        int end = shapedEnd(text, at, 3, "_-", false);
        for (int part = 2; part <= 3 && end >= 0; part++) {
            end = isOneOf(text, end, ".") ? shapedEnd(text, end + 1, 1, "_-", false) : -1;
        }
        return end;
    }

    /** A private key block; one whose end is missing goes on to the end of the text. */
    static int privateKeyEnd(String text, int at) {
        int label = text.startsWith(PEM_BEGIN, at) ? labelEnd(text, at + PEM_BEGIN.length()) : -1;
        if (label < 0) {
            return -1;
        }
        for (int end = text.indexOf(PEM_END, label); end >= 0; end = text.indexOf(PEM_END, end + 1)) {
            int close = labelEnd(text, end + PEM_END.length());
            if (close >= 0) {
                return close;
            }
        }
        return text.length();
    }

    /** The index after {@code ...PRIVATE KEY-----}, or -1. */
    private static int labelEnd(String text, int from) {
        int i = from;
        while (i < text.length() && (isAlphanumeric(text.charAt(i)) || text.charAt(i) == ' ')) {
            if (text.startsWith(PEM_KEY, i)) {
                return i + PEM_KEY.length();
            }
            i++;
        }
        return -1;
    }

    static boolean isAlphanumeric(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
    }
}
