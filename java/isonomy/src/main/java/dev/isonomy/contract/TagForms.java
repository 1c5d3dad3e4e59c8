// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Texts of tags that are in the form the contract states though Java cannot hold the value: an offset of 20 hours, a
 * region that this machine does not know, a decimal that is no number.
 */
final class TagForms {
    private static final String DATE = "(?:[0-9]{4}|-[0-9]{4}|[+-][1-9][0-9]{4,})-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])";
    private static final String TIME = "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{0,8}[1-9])?";
    private static final String OFFSET =
            "(?:Z|(?!.00:00(?::00)?(?:$|\\[))[+-](?:[01][0-9]|2[0-3]):[0-5][0-9](?::(?!00)[0-5][0-9])?)";

    private static final Map<String, Pattern> FORMS = Map.of(
            Tags.DATE, Pattern.compile(DATE),
            Tags.OFFSET_TIME, Pattern.compile(TIME + OFFSET),
            Tags.DATE_TIME, Pattern.compile(DATE + "T" + TIME),
            Tags.OFFSET_DATE_TIME, Pattern.compile(DATE + "T" + TIME + OFFSET),
            Tags.ZONED_DATE_TIME, Pattern.compile(DATE + "T" + TIME + OFFSET + "\\[(?!(?:UTC|GMT|UT|Z)(?:[+-]|\\]))[A-Za-z][A-Za-z0-9._+/-]*\\]"),
            Tags.DURATION, Pattern.compile("(?!-0$)-?(?:0|[1-9][0-9]*)(?:\\.[0-9]{0,8}[1-9])?"));

    private static final Pattern NO_NUMBER = Pattern.compile("s?NaN(?:[1-9][0-9]*)?|Infinity");
    /** An exponent beyond 32 bits: such a number is written with one, and one digit before the point. */
    private static final Pattern FAR = Pattern.compile("[0-9](?:\\.[0-9]+)?E[+-][1-9][0-9]{9,}");

    private TagForms() {}

    static boolean isStated(String tag, Object payload) {
        if (tag.equals(Tags.DECIMAL)) {
            return payload instanceof String text && isDecimal(text);
        }
        Pattern form = FORMS.get(tag);
        return form != null && payload instanceof String text && form.matcher(text).matches() && isDay(tag, text);
    }

    /** Whether a text is a to-scientific-string (clause 5.12), also of a number that Java has not: -0, or 1E+9999999999. */
    private static boolean isDecimal(String text) {
        String digits = text.startsWith("-") ? text.substring(1) : text;
        if (NO_NUMBER.matcher(digits).matches()) {
            return true;
        }
        if (digits.isEmpty() || digits.charAt(0) < '0' || digits.charAt(0) > '9') {
            return false;
        }
        try {
            return new BigDecimal(digits).toString().equals(digits);
        } catch (NumberFormatException notHeld) {
            return FAR.matcher(digits).matches();
        }
    }

    /** Whether the date at the beginning of a text has a day that its month has. */
    private static boolean isDay(String tag, String text) {
        if (!text.matches(DATE + ".*") || tag.equals(Tags.DURATION)) {
            return true;
        }
        int monthStart = text.indexOf('-', 1) + 1;
        int month = Integer.parseInt(text, monthStart, monthStart + 2, 10);
        int day = Integer.parseInt(text, monthStart + 3, monthStart + 5, 10);
        // The calendar repeats every 400 years, so four digits tell a leap year.
        int year = Integer.parseInt(text, Math.max(0, monthStart - 5), monthStart - 1, 10);
        boolean leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        int last = month == 2 ? (leap ? 29 : 28) : List.of(4, 6, 9, 11).contains(month) ? 30 : 31;
        return day <= last;
    }

    /** The text of a string tag with U+FFFD for each surrogate, null where it is not in its stated form. */
    static String replacedSurrogates(Object payload) {
        if (!(payload instanceof List<?> pieces)) {
            return null;
        }
        StringBuilder out = new StringBuilder();
        boolean lone = false;
        Object before = null;
        for (Object piece : pieces) {
            if (piece instanceof String text && !text.isEmpty() && !(before instanceof String)
                    && Surrogates.firstLone(text) < 0) {
                out.append(text);
            } else if (piece instanceof Long unit
                    && unit >= Character.MIN_SURROGATE && unit <= Character.MAX_SURROGATE) {
                out.append('\uFFFD');
                lone = true;
            } else {
                return null;
            }
            before = piece;
        }
        return lone ? out.toString() : null;
    }
}
