// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import com.fasterxml.jackson.core.io.NumberOutput;

/**
 * Finite numbers as text: the shortest digits that read back to the same bits, always with a fraction or an exponent
 * (clause 5.5), plain from 1e-5 up to 1e16 and with an exponent beyond: the same text as in Python, so that sizes and
 * views are the same too.
 */
final class DoubleText {
    private static final int MAX_PLAIN_EXPONENT = 15;
    private static final int MIN_PLAIN_EXPONENT = -5;

    /** The smallest numbers have less than two digits, and Java writes two. */
    private static final int SUBNORMAL = -323;

    private DoubleText() {}

    static String of(double value) {
        String text = NumberOutput.toString(value, true);
        int e = text.lastIndexOf('E');
        return e < 0 ? text : respelled(text, e);
    }

    /** Rewrites {@code -d.dddE-x}: Java turns to exponents earlier than others. */
    private static String respelled(String text, int e) {
        int start = text.charAt(0) == '-' ? 1 : 0;
        int exponent = Integer.parseInt(text, e + 1, text.length(), 10);
        String fraction = text.substring(start + 2, e);
        String digits = text.charAt(start) + (fraction.equals("0") ? "" : fraction);
        if (exponent <= SUBNORMAL && digits.length() == 2) {
            return shortest(text, start, digits, exponent);
        }
        StringBuilder out = new StringBuilder(24).append(text, 0, start);
        if (exponent < MIN_PLAIN_EXPONENT || exponent > MAX_PLAIN_EXPONENT) {
            out.append(digits.charAt(0));
            if (digits.length() > 1) {
                out.append('.').append(digits, 1, digits.length());
            }
            return out.append(exponent < 0 ? "e" : "e+").append(exponent).toString();
        }
        if (exponent < 0) {
            return out.append("0.").append("0".repeat(-exponent - 1)).append(digits).toString();
        }
        int whole = exponent + 1;
        if (digits.length() <= whole) {
            return out.append(digits).append("0".repeat(whole - digits.length())).append(".0").toString();
        }
        return out.append(digits, 0, whole).append('.').append(digits, whole, digits.length()).toString();
    }

    /** One digit in the place of two where it reads back to the same number. */
    private static String shortest(String text, int start, String digits, int exponent) {
        int rounded = (Integer.parseInt(digits) + 5) / 10;
        String one = rounded < 10 ? rounded + "e" + exponent : "1e" + (exponent + 1);
        String two = digits.charAt(0) + "." + digits.charAt(1) + "e" + exponent;
        return text.substring(0, start) + (Double.parseDouble(one) == Double.parseDouble(two) ? one : two);
    }
}
