// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/** Secrets that are known by their shape: private keys and tokens (clauses 12.2 a and e). */
final class TokenShapes {
    static final String PEM_BEGIN = "-----BEGIN ";
    private static final String PEM_END = "-----END ";
    private static final String PEM_KEY = "PRIVATE KEY";
    private static final String PEM_BLOCK = " BLOCK";
    private static final String DASHES = "-----";
    private static final int MAX_LABEL = 40;

    private TokenShapes() {}

    /** Finds the next token from an index on. */
    static boolean findToken(String text, int from, SecretRules.Part part) {
        for (int at = from; at < text.length(); at++) {
            int end = tokenEnd(text, at);
            if (end >= 0) {
                return part.set(at, end);
            }
        }
        return false;
    }

    /** The end of a token that begins there: with a known prefix, or three parts of base64url; -1 where there is none. */
    static int tokenEnd(String text, int at) {
        return switch (text.charAt(at)) {
            case 's' -> begins(text, at, "sk-") ? shapedEnd(text, at + 3, 16, "_-", false) : -1;
            case 'g' -> begins(text, at, "gh") && isOneOf(text, at + 2, "pousr") && isOneOf(text, at + 3, "_")
                    ? shapedEnd(text, at + 4, 20, "", false)
                    : -1;
            case 'A' -> begins(text, at, "AKIA") ? shapedEnd(text, at + 4, 16, "", true) : -1;
            case 'x' -> begins(text, at, "xox") && isOneOf(text, at + 3, "abprs") && isOneOf(text, at + 4, "-")
                    ? shapedEnd(text, at + 5, 10, "-", false)
                    : -1;
            // A hyphen is part of base64url: text full of them must not be looked through again and again.
            case 'e' -> begins(text, at, "eyJ") && (at == 0 || text.charAt(at - 1) != '-') ? webTokenEnd(text, at) : -1;
            default -> -1;
        };
    }

    private static boolean begins(String text, int at, String prefix) {
        return text.startsWith(prefix, at) && SecretRules.startsWord(text, at);
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
        return SecretRules.isAlphanumeric(c) && !(upperCase && c >= 'a' && c <= 'z') || signs.indexOf(c) >= 0;
    }

    private static int webTokenEnd(String text, int at) {
        int end = shapedEnd(text, at, 3, "_-", false);
        for (int part = 2; part <= 3 && end >= 0; part++) {
            end = isOneOf(text, end, ".") ? shapedEnd(text, end + 1, 1, "_-", false) : -1;
        }
        return end;
    }

    /** Finds the next private key block; one whose end is missing goes on to the next dashes, or the end of the text. */
    static boolean findPrivateKey(String text, int from, SecretRules.Part part) {
        for (int at = text.indexOf(PEM_BEGIN, from); at >= 0; at = text.indexOf(PEM_BEGIN, at + 1)) {
            int label = labelEnd(text, at + PEM_BEGIN.length());
            if (label >= 0) {
                int end = text.indexOf(DASHES, label);
                int close = end >= 0 && text.startsWith(PEM_END, end) ? labelEnd(text, end + PEM_END.length()) : end;
                return part.set(at, end < 0 ? text.length() : Math.max(end, close));
            }
        }
        return false;
    }

    /** The index after {@code ...PRIVATE KEY-----}, or -1. */
    private static int labelEnd(String text, int from) {
        for (int i = from; i <= from + MAX_LABEL && i < text.length(); i++) {
            if (text.startsWith(PEM_KEY, i)) {
                int key = i + PEM_KEY.length();
                int end = text.startsWith(PEM_BLOCK, key) ? key + PEM_BLOCK.length() : key;
                if (text.startsWith(DASHES, end)) {
                    return end + DASHES.length();
                }
            }
            char c = text.charAt(i);
            if (c != ' ' && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9')) {
                return -1;
            }
        }
        return -1;
    }
}
