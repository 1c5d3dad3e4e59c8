// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/** Where a text is not well-formed UTF-16. */
final class Surrogates {
    private Surrogates() {}

    /** The index of the first surrogate without a partner, or -1. */
    static int firstLone(String text) {
        return firstLone(text, 0);
    }

    /** The index of the first surrogate without a partner from {@code start} on, or -1. */
    static int firstLone(String text, int start) {
        for (int i = start; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE) {
                continue;
            }
            if (c > Character.MAX_HIGH_SURROGATE
                    || i + 1 == text.length()
                    || !Character.isLowSurrogate(text.charAt(i + 1))) {
                return i;
            }
            i++;
        }
        return -1;
    }
}
