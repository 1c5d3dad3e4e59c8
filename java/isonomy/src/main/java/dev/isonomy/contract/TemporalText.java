// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.zone.ZoneRulesProvider;
import java.util.regex.Pattern;

/** The texts of dates, times and durations (clauses 5.13 to 5.16). */
final class TemporalText {
    private static final int NANO_DIGITS = 9;

    /** Names of fixed zones, though the database has some of them too (clause 5.15). */
    private static final Pattern FIXED_ZONE = Pattern.compile("(?:UTC|GMT|UT|Z)?(?:[+-].*)?");

    private TemporalText() {}

    static String of(LocalTime time) {
        StringBuilder out = new StringBuilder(18);
        twoDigits(out, time.getHour()).append(':');
        twoDigits(out, time.getMinute()).append(':');
        twoDigits(out, time.getSecond());
        return fraction(out, time.getNano()).toString();
    }

    static String of(OffsetTime time) {
        return of(time.toLocalTime()) + time.getOffset().getId();
    }

    static String of(LocalDateTime at) {
        return at.toLocalDate() + "T" + of(at.toLocalTime());
    }

    static String of(OffsetDateTime at) {
        return of(at.toLocalDateTime()) + at.getOffset().getId();
    }

    /** The time in a region; one in a fixed zone is an {@link OffsetDateTime}, see {@link #isRegion}. */
    static String of(ZonedDateTime at) {
        return of(at.toOffsetDateTime()) + '[' + at.getZone().getId() + ']';
    }

    /** Whether a zone is a region; a fixed zone is an offset, also where Java gives it a name. */
    static boolean isRegion(ZoneId zone) {
        return !FIXED_ZONE.matcher(zone.getId()).matches()
                && ZoneRulesProvider.getAvailableZoneIds().contains(zone.getId());
    }

    static String of(Duration duration) {
        long seconds = duration.getSeconds();
        int nanos = duration.getNano();
        StringBuilder out = new StringBuilder(32);
        if (seconds < 0 && nanos > 0) {
            out.append('-').append(-(seconds + 1));
            nanos = 1_000_000_000 - nanos;
        } else {
            out.append(seconds);
        }
        return fraction(out, nanos).toString();
    }

    private static StringBuilder twoDigits(StringBuilder out, int value) {
        return out.append((char) ('0' + value / 10)).append((char) ('0' + value % 10));
    }

    private static StringBuilder fraction(StringBuilder out, int nanos) {
        if (nanos == 0) {
            return out;
        }
        String digits = Integer.toString(nanos);
        int end = digits.length();
        while (digits.charAt(end - 1) == '0') {
            end--;
        }
        return out.append('.').append("0".repeat(NANO_DIGITS - digits.length())).append(digits, 0, end);
    }

    /** The value of a tag, or null where the text is not exactly what the value would be written as. */
    static Object parse(String tag, String text) {
        try {
            return switch (tag) {
                case Tags.DATE -> exact(LocalDate.parse(text), text);
                case Tags.TIME -> exact(LocalTime.parse(text), text);
                case Tags.OFFSET_TIME -> exact(OffsetTime.parse(text), text);
                case Tags.DATE_TIME -> exact(LocalDateTime.parse(text), text);
                case Tags.OFFSET_DATE_TIME -> exact(OffsetDateTime.parse(text), text);
                case Tags.ZONED_DATE_TIME -> exact(zoned(text), text);
                default -> exact(duration(text), text);
            };
        } catch (DateTimeException | ArithmeticException | NumberFormatException malformed) {
            return null;
        }
    }

    private static Object exact(Object value, String text) {
        return value != null && text.equals(write(value)) ? value : null;
    }

    private static String write(Object value) {
        if (value instanceof LocalTime time) {
            return of(time);
        } else if (value instanceof OffsetTime time) {
            return of(time);
        } else if (value instanceof LocalDateTime at) {
            return of(at);
        } else if (value instanceof OffsetDateTime at) {
            return of(at);
        } else if (value instanceof ZonedDateTime at) {
            return of(at);
        } else if (value instanceof Duration duration) {
            return of(duration);
        }
        return value.toString();
    }

    private static ZonedDateTime zoned(String text) {
        int bracket = text.indexOf('[');
        if (bracket < 0 || !text.endsWith("]")) {
            return null;
        }
        ZoneId zone = ZoneId.of(text.substring(bracket + 1, text.length() - 1));
        OffsetDateTime at = OffsetDateTime.parse(text.substring(0, bracket));
        return isRegion(zone) ? ZonedDateTime.ofStrict(at.toLocalDateTime(), at.getOffset(), zone) : null;
    }

    private static Duration duration(String text) {
        boolean negative = text.startsWith("-");
        int point = text.indexOf('.');
        long seconds = Long.parseLong(point < 0 ? text : text.substring(0, point));
        if (point < 0) {
            return Duration.ofSeconds(seconds);
        }
        String digits = text.substring(point + 1);
        if (digits.length() > NANO_DIGITS) {
            return null;
        }
        int nanos = Integer.parseInt(digits + "0".repeat(NANO_DIGITS - digits.length()));
        return Duration.ofSeconds(seconds, negative ? -nanos : nanos);
    }
}
