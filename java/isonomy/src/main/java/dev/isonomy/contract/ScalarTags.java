// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Base64;
import java.util.UUID;

/** Writes values whose tag holds one text: bytes, UUIDs, dates, times and durations. */
final class ScalarTags {
    private ScalarTags() {}

    /** Writes the value where it is one of these; else nothing, and the answer is false. */
    static boolean write(Form out, Object value) {
        if (value instanceof byte[] bytes) {
            out.tag(Tags.BYTES, Base64.getEncoder().encodeToString(bytes));
        } else if (value instanceof ByteBuffer buffer) {
            out.tag(Tags.BYTES, base64(buffer));
        } else if (value instanceof UUID) {
            out.tag(Tags.UUID_, value.toString());
        } else if (value instanceof Instant instant) {
            return writeInstant(out, instant);
        } else {
            return writeTemporal(out, value);
        }
        return true;
    }

    private static String base64(ByteBuffer buffer) {
        byte[] rest = new byte[buffer.remaining()];
        buffer.duplicate().get(rest);
        return Base64.getEncoder().encodeToString(rest);
    }

    private static boolean writeInstant(Form out, Instant instant) {
        OffsetDateTime at;
        try {
            at = instant.atOffset(ZoneOffset.UTC);
        } catch (DateTimeException beyond) { // the first and last year of Instant have no date
            return false;
        }
        out.tag(Tags.OFFSET_DATE_TIME, TemporalText.of(at));
        return true;
    }

    private static boolean writeTemporal(Form out, Object value) {
        if (value instanceof LocalDate) {
            out.tag(Tags.DATE, value.toString());
        } else if (value instanceof LocalTime time) {
            out.tag(Tags.TIME, TemporalText.of(time));
        } else if (value instanceof OffsetTime time) {
            out.tag(Tags.OFFSET_TIME, TemporalText.of(time));
        } else if (value instanceof LocalDateTime at) {
            out.tag(Tags.DATE_TIME, TemporalText.of(at));
        } else if (value instanceof OffsetDateTime at) {
            out.tag(Tags.OFFSET_DATE_TIME, TemporalText.of(at));
        } else if (value instanceof ZonedDateTime at && TemporalText.isRegion(at.getZone())) {
            out.tag(Tags.ZONED_DATE_TIME, TemporalText.of(at));
        } else if (value instanceof ZonedDateTime at) {
            out.tag(Tags.OFFSET_DATE_TIME, TemporalText.of(at.toOffsetDateTime()));
        } else if (value instanceof Duration duration) {
            out.tag(Tags.DURATION, TemporalText.of(duration));
        } else {
            return false;
        }
        return true;
    }
}
