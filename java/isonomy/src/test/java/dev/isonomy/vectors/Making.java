// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.vectors;

import dev.isonomy.contract.Portable;
import dev.isonomy.contract.Tagged;
import dev.isonomy.contract.Wire;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** Makes the native values of vectors. */
public final class Making {
    private Making() {}

    /** The value that a piece of a vector describes. */
    public static Object value(Object json) {
        if (json instanceof List<?> items) {
            return list(items);
        }
        if (!(json instanceof Map<?, ?> map)) {
            return json;
        }
        if (map.containsKey("make")) {
            Fields made = Fields.of("make " + json, json);
            Object value = made(made.text("make"), made);
            made.requireAllRead();
            return value;
        }
        Map<Object, Object> members = new LinkedHashMap<>();
        map.forEach((key, member) -> members.put(key, value(member)));
        return members;
    }

    private static List<Object> list(List<?> items) {
        List<Object> made = new ArrayList<>();
        items.forEach(item -> made.add(value(item)));
        return made;
    }

    private static Object made(String name, Fields made) {
        return switch (name) {
            case "bytes" -> bytes(made);
            case "byte_buffer" -> ByteBuffer.wrap(bytes(made)).position(made.integer("position"));
            case "int" -> new BigInteger(made.text("text"));
            case "float" -> Double.valueOf(made.text("text"));
            case "float32" -> Float.valueOf(made.text("text"));
            case "decimal", "big_decimal" -> new BigDecimal(made.text("text"));
            case "char" -> made.text("text").charAt(0);
            case "surrogates" -> surrogates(made.list("units"));
            case "long_text" -> longText(made.list("pieces"));
            case "digits" -> new BigInteger("9".repeat(made.integer("count")));
            case "uuid" -> UUID.fromString(made.text("text"));
            case "enum" -> Fixtures.Color.RED;
            case "int_enum" -> Fixtures.Level.LOW;
            case "str_enum" -> Fixtures.Letter.A;
            case "date", "time", "offset_time", "datetime", "offset_datetime", "zoned_datetime", "instant", "duration" ->
                    temporal(name, made.text("text"));
            case "set", "list", "deque", "array", "map", "nested", "shared", "cycle_list", "cycle_map" ->
                    container(name, made);
            default -> instance(name, made);
        };
    }

    private static byte[] bytes(Fields made) {
        return HexFormat.of().parseHex(made.text("hex"));
    }

    private static String surrogates(List<?> units) {
        StringBuilder text = new StringBuilder();
        units.forEach(unit -> text.append((char) (int) (Integer) unit));
        return text.toString();
    }

    private static String longText(List<?> pieces) {
        StringBuilder text = new StringBuilder();
        for (Object piece : pieces) {
            text.append(piece instanceof List<?> repeated
                    ? ((String) repeated.get(0)).repeat((Integer) repeated.get(1))
                    : (String) piece);
        }
        return text.toString();
    }

    private static Object temporal(String name, String text) {
        return switch (name) {
            case "date" -> LocalDate.parse(text);
            case "time" -> LocalTime.parse(text);
            case "offset_time" -> OffsetTime.parse(text);
            case "datetime" -> LocalDateTime.parse(text);
            case "offset_datetime" -> OffsetDateTime.parse(text);
            case "zoned_datetime" -> zoned(text);
            case "instant" -> Instant.parse(text);
            default -> duration(new BigDecimal(text));
        };
    }

    private static ZonedDateTime zoned(String text) {
        int bracket = text.indexOf('[');
        OffsetDateTime at = OffsetDateTime.parse(text.substring(0, bracket));
        ZoneId zone = ZoneId.of(text.substring(bracket + 1, text.length() - 1));
        return ZonedDateTime.ofInstant(at.toLocalDateTime(), at.getOffset(), zone);
    }

    private static Duration duration(BigDecimal seconds) {
        BigInteger nanos = seconds.movePointRight(9).toBigIntegerExact();
        BigInteger[] parts = nanos.divideAndRemainder(BigInteger.valueOf(1_000_000_000));
        return Duration.ofSeconds(parts[0].longValueExact(), parts[1].longValueExact());
    }

    private static Object container(String name, Fields made) {
        return switch (name) {
            case "set" -> new LinkedHashSet<>(list(made.list("items")));
            case "list" -> list(made.list("items"));
            case "deque" -> new ArrayDeque<>(list(made.list("items")));
            case "array" -> made.list("items").stream().mapToInt(item -> (Integer) item).toArray();
            case "map" -> map(made.list("items"));
            case "nested" -> nested(made.integer("depth"));
            case "shared" -> {
                List<Object> shared = new ArrayList<>(List.of(1));
                yield new ArrayList<>(List.of(shared, shared));
            }
            case "cycle_list" -> {
                List<Object> cycle = new ArrayList<>();
                cycle.add(cycle);
                yield cycle;
            }
            default -> {
                Map<String, Object> cycle = new LinkedHashMap<>();
                cycle.put("self", cycle);
                yield cycle;
            }
        };
    }

    private static Map<Object, Object> map(List<?> pairs) {
        Map<Object, Object> map = new LinkedHashMap<>();
        for (Object pair : pairs) {
            map.put(value(((List<?>) pair).get(0)), value(((List<?>) pair).get(1)));
        }
        return map;
    }

    private static Object nested(int depth) {
        List<Object> nested = new ArrayList<>();
        for (int i = 1; i < depth; i++) {
            nested = new ArrayList<>(List.of(nested));
        }
        return nested;
    }

    private static Object instance(String name, Fields made) {
        return switch (name) {
            case "optional" -> Optional.ofNullable(value(made.json("value", null)));
            case "record" -> structure(made.object("fields"));
            case "object" -> new Fixtures.Plain();
            case "failing_converter" -> new Fixtures.Broken();
            case "converted" -> new Fixtures.Money(made.integer("amount"));
            case "exception" -> Throwing.exception(made);
            case "iterator" -> new ArrayList<>(List.of(1)).iterator();
            case "stream" -> new ArrayList<>(List.of(1)).stream();
            case "type" -> String.class;
            case "awaitable" -> CompletableFuture.completedFuture(1);
            case "tagged" -> new Tagged(
                    made.text("tag"), Portable.decodePlain(Vectors.text(made.json("payload"))));
            case "response" -> Wire.decodeResponse(
                    Vectors.text(made.json("of")).getBytes(StandardCharsets.UTF_8));
            default -> throw new AssertionError("a vector makes an unknown value " + name);
        };
    }

    private static Record structure(Fields fields) {
        return fields.has("x")
                ? new Fixtures.Point(fields.integer("x"), fields.integer("y"))
                : new Fixtures.Named(fields.text("name"), (List<?>) value(fields.json("tags")));
    }
}
