// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/** The rules of clause 4.3 for the text of errors. Lengths count code points. */
final class ErrorText {
    /** The longest message a response holds. */
    static final int MAX_MESSAGE = 8_192;

    /** The longest trace a response holds. */
    static final int MAX_TRACE = 65_536;

    /** The longest message or trace that crosses a bridge (clause 10.6): the host cuts to the limits above. */
    static final int MAX_CROSSING = 262_144;

    private ErrorText() {}

    /** The text without lone surrogates, or the fallback where it is null or blank. */
    static String clean(String text, String fallback) {
        return text == null || isBlank(text) ? wellFormed(fallback) : wellFormed(text);
    }

    /** Whether a text is empty or nothing but white space as Unicode defines it, the no-break space included. */
    static boolean isBlank(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (!isWhiteSpace(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isWhiteSpace(char c) {
        return c >= 0x09 && c <= 0x0D || c == 0x85 || Character.isSpaceChar(c);
    }

    /** The text with U+FFFD for each lone surrogate; the same object where there is none. */
    static String wellFormed(String text) {
        int at = Surrogates.firstLone(text);
        if (at < 0) {
            return text;
        }
        StringBuilder out = new StringBuilder(text);
        for (; at < out.length(); at++) {
            if (!Character.isSurrogate(out.charAt(at))) {
                continue;
            }
            if (Character.isHighSurrogate(out.charAt(at))
                    && at + 1 < out.length()
                    && Character.isLowSurrogate(out.charAt(at + 1))) {
                at++;
            } else {
                out.setCharAt(at, '\uFFFD');
            }
        }
        return out.toString();
    }

    /** The text itself, or its beginning and an ellipsis: at most {@code max} code points. */
    static String cut(String text, int max) {
        if (text.length() <= max || text.codePointCount(0, text.length()) <= max) {
            return text;
        }
        return text.substring(0, text.offsetByCodePoints(0, max - 1)) + '…';
    }

    /** A trace of at most {@code max} code points: the start is kept in Java, the end in Python (clause 4.10). */
    static String cutTrace(String trace, String language, int max) {
        if (trace.length() <= max) {
            return trace;
        }
        int points = trace.codePointCount(0, trace.length());
        if (points <= max) {
            return trace;
        }
        return language.equals(Language.PYTHON)
                ? trace.substring(trace.offsetByCodePoints(0, points - max))
                : trace.substring(0, trace.offsetByCodePoints(0, max));
    }
}
