// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** What holds for every value. */
final class PortablePropertyTest {

    /** 5.3: what is written, read and written again is the same, byte for byte. */
    @Property
    void whatIsWrittenIsReadAsItWas(@ForAll("values") Object value) {
        byte[] once = Portable.encode(value);
        Object read = Portable.decode(once);
        assertArrayEquals(once, Portable.encode(read));
        assertArrayEquals(Canonical.encode(value), Canonical.encode(read));
        assertArrayEquals(once, Portable.encode(Portable.decode(new String(once, StandardCharsets.UTF_8))));
    }

    /** 5.3: whatever JSON is read, tags of any content among it, is written as it was. */
    @Property
    void whatIsReadIsWrittenAsItWas(@ForAll("json") Object plain) {
        JsonForm text = new JsonForm();
        new Encoder(text, false).plain(plain);
        Object value = Portable.decode(text.toBytes());
        byte[] again = Portable.encode(value);
        assertArrayEquals(Canonical.ofPlain(JsonReader.plain(again)), Canonical.encode(value));
        assertArrayEquals(again, Portable.encode(Portable.decode(again)));
        if (!new String(text.toBytes(), StandardCharsets.UTF_8).contains("\\ud")) {
            assertArrayEquals(Canonical.ofPlain(plain), Canonical.encode(value));
        }
    }

    /** 5.4 and 6.1: the order of keys and elements does not count, everything else does. */
    @Property
    void equalityIsThatOfEncodings(@ForAll("values") Object left, @ForAll("values") Object right) {
        assertArrayEquals(Canonical.encode(left), Canonical.encode(reversed(left)));
        assertEquals(Canonical.digest(left), Canonical.digest(reversed(left)));
        boolean sameText = Arrays.equals(Portable.encode(left), Portable.encode(right));
        assertTrue(!sameText || Canonical.equal(left, right));
        assertFalse(Canonical.equal(left, Arrays.asList(left)));
    }

    /** 6.3: decoded sets are in the order of their canonical encodings. */
    @Property
    void setsAreInCanonicalOrder(@ForAll("elements") Set<Object> elements) {
        Set<?> read = (Set<?>) Portable.decode(Portable.encode(elements));
        byte[] before = null;
        for (Object element : read) {
            byte[] encoding = Canonical.encode(element);
            assertTrue(before == null || Arrays.compareUnsigned(before, encoding) < 0);
            assertTrue(read.contains(element));
            before = encoding;
        }
        Set<String> digests = new HashSet<>();
        elements.forEach(element -> digests.add(Canonical.digest(element)));
        assertEquals(digests.size(), read.size());
    }

    /** 5.29: the limit is exact. */
    @Property
    void theLimitOfSizeIsExact(@ForAll("values") Object value) {
        int size = Portable.encode(value).length;
        assertEquals(size, Portable.encode(value, new Limits(size, false)).length);
        if (size > 1) {
            try {
                Portable.encode(value, new Limits(size - 1, false));
                throw new AssertionError("a byte too many was let through");
            } catch (PortableException refused) {
                assertEquals(PortableException.Reason.TOO_LARGE, refused.reason());
            }
        }
    }

    /** 5.5: floats keep their bits and never become integers. */
    @Property
    void floatsKeepTheirBits(@ForAll long bits) {
        double number = Double.longBitsToDouble(bits);
        Object read = Portable.decode(Portable.encode(number));
        assertEquals(
                Double.doubleToLongBits(number), Double.doubleToLongBits((Double) read));
        assertEquals(Double.class, read.getClass());
    }

    /** 5.28: bytes that are cut or changed somewhere are read, or refused in one way. */
    @Property
    void brokenTextIsRefusedInOneWay(@ForAll("values") Object value, @ForAll int place, @ForAll byte other) {
        byte[] text = Portable.encode(value);
        int at = Math.floorMod(place, text.length);
        byte[] changed = text.clone();
        changed[at] = other;
        for (byte[] broken : List.of(changed, Arrays.copyOf(text, at))) {
            try {
                byte[] read = Portable.encode(Portable.decode(broken));
                assertArrayEquals(read, Portable.encode(Portable.decode(read)));
            } catch (PortableException refused) {
                assertTrue(refused.reason() != PortableException.Reason.NOT_PORTABLE);
            }
        }
    }

    /** 10.4: no bytes make the reading of an envelope throw, and none but an envelope a success. */
    @Property
    void envelopesNeverThrow(@ForAll byte[] bytes, @ForAll("json") Object plain) {
        assertTrue(Envelope.decodeReply(bytes).outcome() instanceof Settled);
        JsonForm text = new JsonForm();
        new Encoder(text, false).plain(plain);
        assertTrue(Envelope.decodeReply(text.toBytes()).outcome() instanceof Settled);
    }

    /** 10.3: every outcome crosses a bridge and means the same there. */
    @Property
    void outcomesCrossBridges(@ForAll("values") Object value, @ForAll("texts") String text) {
        Map<String, Object> meta = new LinkedHashMap<>();
        meta.put(text, value);
        List<Block> content = List.of(Block.text(text), new Block("chart", Collections.singletonMap(text + "x", text)));
        for (Outcome outcome : List.of(
                new Returned(value instanceof ToolResponse ? null : value),
                new Returned(ToolResponse.success(value, content, meta)),
                new Returned(ToolResponse.failure(text).details(value).content(content).meta(meta).build()),
                Mapping.thrown(new IllegalStateException(text, new Exception(text))),
                Settled.of(ErrorKind.TIMEOUT, text, Effect.POSSIBLE))) {
            byte[] envelope = Envelope.encodeReply(new BridgeReply(outcome), Limits.NONE);
            ToolResponse here = Mapping.toResponse(outcome);
            ToolResponse there = Mapping.toResponse(Envelope.decodeReply(envelope).outcome());
            assertArrayEquals(Wire.encode(here), Wire.encode(there));
        }
    }

    /** 12.2: redacting twice is redacting once, and nothing secret is left. */
    @Property(tries = 1000)
    void redactingTwiceIsRedactingOnce(@ForAll("suspicious") String text) {
        String once = Redactor.DEFAULT.text(text);
        assertEquals(once, Redactor.DEFAULT.text(once), () -> "of " + text);
    }

    private static Object reversed(Object value) {
        if (value instanceof Map<?, ?> map) {
            List<Map.Entry<?, ?>> entries = new ArrayList<>(map.entrySet());
            Collections.reverse(entries);
            Map<Object, Object> reversed = new LinkedHashMap<>();
            entries.forEach(entry -> reversed.put(entry.getKey(), reversed(entry.getValue())));
            return reversed;
        } else if (value instanceof Set<?> set) {
            List<Object> items = new ArrayList<>(set);
            Collections.reverse(items);
            return new LinkedHashSet<>(items);
        } else if (value instanceof List<?> list) {
            return list.stream().map(PortablePropertyTest::reversed).collect(ArrayList::new, List::add, List::addAll);
        }
        return value;
    }

    @Provide
    Arbitrary<String> texts() {
        Arbitrary<String> any = Arbitraries.strings().withCharRange('\0', '\uFFFF').ofMaxLength(8);
        return Arbitraries.oneOf(
                any, Arbitraries.strings().ascii().ofMaxLength(12),
                Arbitraries.of("$iso:bytes", "$iso:map", "$iso:", "type", "\uD800", "\uD83D\uDE00", "é"));
    }

    @Provide
    Arbitrary<Object> scalars() {
        Arbitrary<Instant> instants = Arbitraries.longs()
                .between(-62_135_596_800L * 2, 253_402_300_799L * 2)
                .flatMap(seconds -> Arbitraries.integers().between(0, 999_999_999)
                        .map(nanos -> Instant.ofEpochSecond(seconds, nanos)));
        Arbitrary<ZoneOffset> offsets =
                Arbitraries.integers().between(-64_800, 64_800).map(ZoneOffset::ofTotalSeconds);
        Arbitrary<LocalDateTime> local = Combinators.combine(instants, offsets).as(LocalDateTime::ofInstant);
        return Arbitraries.oneOf(List.of(
                Arbitraries.just(null),
                Arbitraries.of(true, false).map(Object.class::cast),
                Arbitraries.longs().map(Object.class::cast),
                Arbitraries.bigIntegers().between(BigInteger.ONE.shiftLeft(200).negate(), BigInteger.ONE.shiftLeft(200))
                        .map(Object.class::cast),
                Arbitraries.longs().map(Double::longBitsToDouble).map(Object.class::cast),
                Arbitraries.of(0.0, -0.0, 1.0, Double.NaN, Double.MIN_VALUE).map(Object.class::cast),
                texts().map(Object.class::cast),
                Arbitraries.bytes().array(byte[].class).ofMaxSize(9).map(Object.class::cast),
                Combinators.combine(Arbitraries.bigIntegers(), Arbitraries.integers())
                        .as((digits, scale) -> (Object) new BigDecimal(digits, scale)),
                Arbitraries.longs().map(bits -> (Object) new UUID(bits, ~bits)),
                instants.map(Object.class::cast),
                local.map(LocalDateTime::toLocalDate).map(Object.class::cast),
                local.map(LocalDateTime::toLocalTime).map(Object.class::cast),
                local.map(Object.class::cast),
                Combinators.combine(local, offsets).as((at, offset) -> (Object) OffsetDateTime.of(at, offset)),
                Combinators.combine(local, offsets)
                        .as((at, offset) -> (Object) OffsetTime.of(at.toLocalTime(), offset)),
                Combinators.combine(instants, Arbitraries.of("Europe/Berlin", "America/New_York", "Etc/UTC", "UTC"))
                        .as((at, zone) -> (Object) ZonedDateTime.ofInstant(at, ZoneId.of(zone))),
                Combinators.combine(Arbitraries.longs(), Arbitraries.integers().between(0, 999_999_999))
                        .as((seconds, nanos) -> (Object) Duration.ofSeconds(seconds, nanos))));
    }

    @Provide
    Arbitrary<Object> values() {
        return Arbitraries.recursive(this::scalars, this::containers, 0, 3);
    }

    private Arbitrary<Object> containers(Arbitrary<Object> inner) {
        return Arbitraries.oneOf(
                inner,
                inner.list().ofMaxSize(4).map(Object.class::cast),
                inner.set().ofMaxSize(4).map(LinkedHashSet::new).map(Object.class::cast),
                Arbitraries.maps(texts(), inner).ofMaxSize(4).map(Object.class::cast),
                Arbitraries.maps(inner, inner).ofMaxSize(3).map(Object.class::cast));
    }

    @Provide
    Arbitrary<Set<Object>> elements() {
        return values().set().ofMaxSize(6).map(LinkedHashSet::new);
    }

    /** JSON of any content, with many objects that are, or look like, tags. */
    @Provide
    Arbitrary<Object> json() {
        Arbitrary<String> payloads = Arbitraries.of(
                "aGk=", "aGk", "NaN", "0.10", "1E+3", "-0", "2024-01-31", "2023-02-29", "12:34:56", "12:34",
                "2024-01-31T12:34:56Z", "2024-07-01T12:00:00+02:00[Europe/Berlin]", "-0.5", "0",
                "123e4567-e89b-12d3-a456-426614174000", "", "x");
        Arbitrary<Object> leaves = Arbitraries.oneOf(
                Arbitraries.just(null),
                Arbitraries.longs().between(55_290, 57_350).map(Object.class::cast),
                Arbitraries.longs().between(-3, 12).map(Object.class::cast),
                Arbitraries.doubles().map(Object.class::cast),
                Arbitraries.of(true, false).map(Object.class::cast),
                payloads.map(Object.class::cast),
                texts().map(Object.class::cast));
        Arbitrary<String> tags = Arbitraries.of(
                Tags.FLOAT, Tags.STR, Tags.BYTES, Tags.DECIMAL, Tags.DATE, Tags.TIME, Tags.OFFSET_TIME,
                Tags.DATE_TIME, Tags.OFFSET_DATE_TIME, Tags.ZONED_DATE_TIME, Tags.DURATION, Tags.UUID_, Tags.SET,
                Tags.MAP, Tags.OPAQUE, "$iso:x");
        return Arbitraries.recursive(
                () -> leaves,
                inner -> Arbitraries.oneOf(
                        inner,
                        inner.list().ofMaxSize(4).map(Object.class::cast),
                        Arbitraries.maps(texts(), inner).ofMaxSize(3).map(Object.class::cast),
                        Combinators.combine(tags, inner).as((tag, payload) -> (Object) Collections.singletonMap(tag, payload)),
                        Combinators.combine(tags, inner.list().ofMaxSize(3))
                                .as((tag, payload) -> (Object) Collections.singletonMap(tag, payload)),
                        inner.list().ofSize(2).list().ofMaxSize(3)
                                .map(pairs -> (Object) Collections.singletonMap(Tags.MAP, pairs)),
                        Combinators.combine(texts(), texts()).as((type, path) ->
                                (Object) Collections.singletonMap(Tags.OPAQUE, Map.of("type", type, "path", path)))),
                0, 3);
    }

    /** Texts of pieces that rules of redaction look for. */
    @Provide
    Arbitrary<String> suspicious() {
        return Arbitraries.of(
                        "Authorization", "Proxy-Authorization", ":", ": ", "=", " ", "\"", "'", "\\\"", "Bearer", "basic",
                        "token", "password", "api_key", "DB_", "abcdef123", "abc", "://", "user", ":pw@", "@", "h/x?",
                        "&", ",", ";", ")", "]", "[redacted]", "[", "sk-abcdefghijklmnop", "ghp_abcdefghij0123456789",
                        "AKIAABCDEFGHIJKLMNOP", "xoxb-1234567890", "eyJh.eyJz.c2ln", "-----BEGIN PRIVATE KEY-----",
                        "-----END PRIVATE KEY-----", "\n", "é", "Digest")
                .list().ofMaxSize(9).map(pieces -> String.join("", pieces));
    }
}
