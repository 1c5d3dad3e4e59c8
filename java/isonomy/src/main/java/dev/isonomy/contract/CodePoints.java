// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/** The order of strings by code points, which is that of their UTF-8 bytes and not Java's own. */
final class CodePoints {
    private CodePoints() {}

    static int compare(String left, String right) {
        int n = Math.min(left.length(), right.length());
        for (int i = 0; i < n; i++) {
            char a = left.charAt(i);
            char b = right.charAt(i);
            if (a != b) {
                return Character.compare(rank(a), rank(b));
            }
        }
        return Integer.compare(left.length(), right.length());
    }

    /** Puts surrogates, which stand for code points beyond the others, after all of them. */
    private static char rank(char c) {
        if (c < Character.MIN_SURROGATE) {
            return c;
        }
        return (char) (Character.isSurrogate(c) ? c + 0x2000 : c - 0x800);
    }
}
