// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.util.Comparator;

/** The order of texts by their code points; {@code String.compareTo} orders by UTF-16 units. */
final class CodePoints {

    static final Comparator<String> ORDER = CodePoints::compare;

    private CodePoints() {}

    private static int compare(String left, String right) {
        int shared = Math.min(left.length(), right.length());
        for (int i = 0; i < shared; i++) {
            char l = left.charAt(i);
            char r = right.charAt(i);
            if (l != r) {
                boolean sameKind = Character.isSurrogate(l) == Character.isSurrogate(r);
                return sameKind ? l - r : Character.isSurrogate(l) ? 1 : -1;
            }
        }
        return left.length() - right.length();
    }
}
