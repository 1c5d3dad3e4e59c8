// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/** The {@code user:password} of URLs (clause 12.2 b). */
final class UrlSecrets {
    private static final String BEGIN = "://";

    private UrlSecrets() {}

    static boolean find(String text, int from, SecretRules.Part part) {
        for (int at = text.indexOf(BEGIN, from); at >= 0; at = text.indexOf(BEGIN, at + 1)) {
            if (at(text, at, part)) {
                return true;
            }
        }
        return false;
    }

    /** The same for the URL whose {@code ://} is at that index. */
    static boolean at(String text, int at, SecretRules.Part part) {
        int start = at + BEGIN.length();
        int colon = -1;
        int end = -1;
        for (int i = start; i < text.length() && !endsAuthority(text.charAt(i)); i++) {
            char c = text.charAt(i);
            if (c == ':' && colon < 0) {
                colon = i;
            } else if (c == '@') {
                end = i;
            }
        }
        return colon >= 0 && end > colon && part.set(start, end);
    }

    private static boolean endsAuthority(char c) {
        return switch (c) {
            case '/', '?', '#', '"', '\'', '<', '>' -> true;
            default -> SecretRules.isSpace(c);
        };
    }
}
