// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The forms of types that are one JSON value: numbers, booleans, and what has a text form (clause 7.11). */
final class ScalarForm implements Form {

    /** Makes a value of a valid JSON value. */
    private interface Binding {
        Object bind(Object value) throws Unreadable;
    }

    /** Reads a text; a text that it cannot read makes it throw what the JDK's parsers throw. */
    private interface Reading {
        Object read(String text);
    }

    private static final Map<Class<?>, Form> FORMS = new HashMap<>();

    static {
        integer(long.class, Long.class, Long.MIN_VALUE, Long.MAX_VALUE, number -> number);
        integer(int.class, Integer.class, Integer.MIN_VALUE, Integer.MAX_VALUE, number -> (int) number);
        integer(short.class, Short.class, Short.MIN_VALUE, Short.MAX_VALUE, number -> (short) number);
        integer(byte.class, Byte.class, Byte.MIN_VALUE, Byte.MAX_VALUE, number -> (byte) number);
        both(double.class, Double.class, new ScalarForm(Map.of("type", "number"), false, Numbers::binary64));
        both(float.class, Float.class, new ScalarForm(
                Map.of("type", "number", "minimum", (double) -Float.MAX_VALUE, "maximum", (double) Float.MAX_VALUE),
                false, Numbers::binary32));
        both(boolean.class, Boolean.class, new ScalarForm(Map.of("type", "boolean"), false, value -> value));
        both(char.class, Character.class, new ScalarForm(
                Map.of("type", "string", "minLength", 1L, "maxLength", 1L), true, ScalarForm::character));
        form(String.class, new ScalarForm(Map.of("type", "string"), true, value -> value));
        form(CharSequence.class, FORMS.get(String.class));
        form(BigInteger.class, new ScalarForm(Map.of("type", "integer"), false, Numbers::integer));
        form(BigDecimal.class, new DecimalForm());
        form(Number.class, new ScalarForm(Map.of("type", "number"), false, value -> value));
        // What JSON can compare; a library's own comparison says the rest.
        form(Comparable.class, new ScalarForm(
                Map.of("type", List.of("string", "number", "boolean")), false, value -> value));
        form(byte[].class, new ScalarForm(
                Map.of("type", "string", "contentEncoding", "base64"), true, reading("bytes", ScalarForm::bytes)));
        text(LocalDate.class, "date", "date", LocalDate::parse);
        text(LocalTime.class, "time", "time", LocalTime::parse);
        text(OffsetTime.class, "time", "offsettime", OffsetTime::parse);
        text(LocalDateTime.class, "date-time", "datetime", LocalDateTime::parse);
        text(OffsetDateTime.class, "date-time", "offsetdatetime", OffsetDateTime::parse);
        text(Instant.class, "date-time", "offsetdatetime", written -> OffsetDateTime.parse(written).toInstant());
        text(ZonedDateTime.class, "date-time", "zoneddatetime", ZonedDateTime::parse);
        text(Duration.class, "duration", "duration", Duration::parse);
        text(Period.class, "duration", "period", Period::parse);
        text(YearMonth.class, "year-month", "year-month", YearMonth::parse);
        text(Year.class, "year", "year", Year::parse);
        text(ZoneId.class, "time-zone", "time-zone", ZoneId::of);
        text(UUID.class, "uuid", "uuid", ScalarForm::uuid);
        text(URI.class, "uri", "uri", URI::create);
    }

    private final Map<String, Object> schema;
    private final boolean text;
    private final Binding binding;

    private ScalarForm(Map<String, Object> schema, boolean text, Binding binding) {
        this.schema = schema;
        this.text = text;
        this.binding = binding;
    }

    /** The form of a class that is one JSON value, or null. */
    static Form of(Class<?> type) {
        return FORMS.get(type);
    }

    @Override
    public Map<String, Object> schema(Definitions definitions) {
        Map<String, Object> copy = new LinkedHashMap<>();
        // "type" first: the order that a person, and a model, reads.
        copy.put("type", schema.get("type"));
        copy.putAll(schema);
        return copy;
    }

    @Override
    public Object bind(Object value) throws Unreadable {
        return binding.bind(value);
    }

    @Override
    public boolean isText() {
        return text;
    }

    private static void form(Class<?> type, Form form) {
        FORMS.put(type, form);
    }

    private static void both(Class<?> primitive, Class<?> box, Form form) {
        form(primitive, form);
        form(box, form);
    }

    private interface Narrowing {
        Object narrow(long number);
    }

    private static void integer(Class<?> primitive, Class<?> box, long min, long max, Narrowing narrowing) {
        both(primitive, box, new ScalarForm(
                Map.of("type", "integer", "minimum", min, "maximum", max),
                false,
                value -> narrowing.narrow(Numbers.within(value, min, max, "integer"))));
    }

    private static void text(Class<?> type, String format, String name, Reading reading) {
        form(type, new ScalarForm(Map.of("type", "string", "format", format), true, reading(name, reading)));
    }

    private static Binding reading(String name, Reading reading) {
        return value -> {
            try {
                return reading.read((String) value);
            } catch (DateTimeException | IllegalArgumentException notOne) {
                throw new Unreadable(name);
            }
        };
    }

    private static Object character(Object value) throws Unreadable {
        String text = (String) value;
        if (text.length() != 1) {
            throw new Unreadable("char");
        }
        return text.charAt(0);
    }

    private static byte[] bytes(String text) {
        // The decoder does without padding, the standard does not.
        if (text.length() % 4 != 0) {
            throw new IllegalArgumentException("not padded");
        }
        return Base64.getDecoder().decode(text);
    }

    private static UUID uuid(String text) {
        UUID read = UUID.fromString(text);
        // It takes "1-1-1-1-1" too.
        if (!read.toString().equalsIgnoreCase(text)) {
            throw new IllegalArgumentException("not a UUID");
        }
        return read;
    }

    /** A decimal is a JSON number or its text, which alone keeps the scale. */
    private static final class DecimalForm implements Form {
        @Override
        public Map<String, Object> schema(Definitions definitions) {
            Map<String, Object> schema = new LinkedHashMap<>();
            schema.put("type", List.of("number", "string"));
            return schema;
        }

        @Override
        public Object bind(Object value) throws Unreadable {
            return Numbers.decimal(value);
        }

        @Override
        public boolean isText() {
            return true;
        }
    }
}
