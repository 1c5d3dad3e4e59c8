// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import com.fasterxml.jackson.core.io.NumberOutput;
import java.math.BigDecimal;
import java.math.BigInteger;

/**
 * JSON numbers ({@code Long}, {@code BigInteger}, {@code Double}) as Java numbers: exactly or not
 * at all (clause 7.4).
 */
final class Numbers {

    private Numbers() {}

    /** The value as a long within {@code min} and {@code max}. */
    static long within(Object value, long min, long max, String type) throws Unreadable {
        long number;
        if (value instanceof Long exact) {
            number = exact;
        } else if (value instanceof Double one && one == Math.rint(one) && Math.abs(one) < 0x1p63) {
            number = one.longValue();
        } else if (value instanceof Double one && one == -0x1p63) {
            number = Long.MIN_VALUE;
        } else {
            throw new Unreadable(type);
        }
        if (number < min || number > max) {
            throw new Unreadable(type);
        }
        return number;
    }

    /** The value as an integer of any size. */
    static BigInteger integer(Object value) throws Unreadable {
        if (value instanceof Long one) {
            return BigInteger.valueOf(one);
        }
        if (value instanceof BigInteger one) {
            return one;
        }
        if (value instanceof Double one && one == Math.rint(one) && !one.isInfinite()) {
            return new BigDecimal(one).toBigInteger();
        }
        throw new Unreadable("integer");
    }

    /** The value as a binary64; an integer that binary64 cannot hold is refused. */
    static double binary64(Object value) throws Unreadable {
        if (value instanceof Double one) {
            return one;
        }
        if (value instanceof Long one) {
            double wide = one;
            // 2^63 is where the cast back saturates, so that it would look exact.
            if ((long) wide == one && wide != 0x1p63) {
                return wide;
            }
        } else if (value instanceof BigInteger one) {
            double wide = one.doubleValue();
            if (!Double.isInfinite(wide) && new BigDecimal(wide).toBigInteger().equals(one)) {
                return wide;
            }
        }
        throw new Unreadable("number");
    }

    /**
     * The value as a binary32. A fraction is rounded, as a literal in source is; an integer must
     * fit exactly and nothing may overflow.
     */
    static float binary32(Object value) throws Unreadable {
        double wide = binary64(value);
        float narrow = (float) wide;
        if (Float.isInfinite(narrow) || !(value instanceof Double) && narrow != wide) {
            throw new Unreadable("number");
        }
        return narrow;
    }

    /** The value, a number or its text, as a decimal; a binary64 by its shortest text. */
    static BigDecimal decimal(Object value) throws Unreadable {
        if (value instanceof Long one) {
            return BigDecimal.valueOf(one);
        }
        if (value instanceof BigInteger one) {
            return new BigDecimal(one);
        }
        String text =
                value instanceof Double one
                        ? NumberOutput.toString(one, true)
                        : value instanceof String one ? one : "";
        // Longer than any number the codec writes, and quadratic to read.
        if (text.length() > 5_000) {
            throw new Unreadable("decimal");
        }
        try {
            return new BigDecimal(text);
        } catch (NumberFormatException notOne) {
            throw new Unreadable("decimal");
        }
    }
}
