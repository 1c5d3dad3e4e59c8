// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.vectors.Fixtures;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.AbstractList;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Clause 5 where only Java can make the value, or where the behaviour of the API is meant. */
final class PortableTest {

    private static String json(Object value) {
        return new String(Portable.encode(value), StandardCharsets.UTF_8);
    }

    private static String opaque(Class<?> type, String path) {
        return "{\"$iso:opaque\":{\"type\":\"" + type.getName() + "\",\"path\":\"" + path + "\"}}";
    }

    @Test
    void theExampleOfTheDocumentationHolds() {
        byte[] encoded = Portable.encode(Map.of("price", new BigDecimal("0.10")));
        assertEquals("{\"price\":{\"$iso:decimal\":\"0.10\"}}", new String(encoded, StandardCharsets.UTF_8));
        assertEquals(Map.of("price", new BigDecimal("0.10")), Portable.decode(encoded));
    }

    @Test
    void arraysOfEveryKindAreLists() {
        assertEquals("[1,-2]", json(new byte[][] {{1}}).isEmpty() ? "" : json(new short[] {1, -2}));
        assertEquals("[1,2]", json(new long[] {1, 2}));
        assertEquals("[true,false]", json(new boolean[] {true, false}));
        assertEquals("[\"a\",\"é\"]", json(new char[] {'a', 'é'}));
        assertEquals("[1.5,{\"$iso:float\":\"NaN\"}]", json(new float[] {1.5f, Float.NaN}));
        assertEquals("[0.1]", json(new double[] {0.1}));
        assertEquals("[null,\"x\",[1]]", json(new Object[] {null, "x", new int[] {1}}));
        assertEquals("[1,2]", json(new Byte[] {1, 2}));
        assertEquals("[{\"$iso:bytes\":\"AQ==\"}]", json(new byte[][] {{1}}));
    }

    @Test
    void optionalsAreTheirValues() {
        assertEquals("[null,null,null,null]", json(List.of(
                Optional.empty(), OptionalInt.empty(), OptionalLong.empty(), OptionalDouble.empty())));
        assertEquals("[\"x\",1,2,1.5]", json(List.of(
                Optional.of("x"), OptionalInt.of(1), OptionalLong.of(2), OptionalDouble.of(1.5))));
        assertEquals("{\"x\":1}", json(Map.of(Optional.of("x"), 1)));
        assertEquals("[[1]]", json(List.of(Optional.of(List.of(1)))));
    }

    @Test
    void aBufferIsNotMoved() {
        ByteBuffer buffer = ByteBuffer.wrap(new byte[] {0, 'h', 'i', 0}).position(1).limit(3);
        assertEquals("{\"$iso:bytes\":\"aGk=\"}", json(buffer));
        assertEquals("{\"$iso:bytes\":\"aGk=\"}", json(buffer.asReadOnlyBuffer()));
        ByteBuffer direct = ByteBuffer.allocateDirect(2).put(new byte[] {'h', 'i'}).flip();
        assertEquals("{\"$iso:bytes\":\"aGk=\"}", json(direct));
        assertEquals(1, buffer.position());
        assertEquals(2, direct.remaining());
    }

    private record Hidden(int n, List<String> names) {}

    record Loud(String word) {
        @Override
        public String word() {
            return word.toUpperCase(java.util.Locale.ROOT);
        }
    }

    record Refusing(int n) {
        @Override
        public int n() {
            throw new IllegalStateException("not today");
        }
    }

    record Tree(String name, Object child) {}

    @Test
    void recordsAreObjectsOfWhatTheirAccessorsGive() {
        assertEquals("{\"n\":1,\"names\":[\"a\"]}", json(new Hidden(1, List.of("a"))));
        assertEquals("{\"word\":\"HI\"}", json(new Loud("hi")));
        assertEquals("[" + opaque(Refusing.class, "$[0]") + ",2]", json(List.of(new Refusing(1), 2)));
        record Local(Object é) {}
        assertEquals("{\"é\":null}", json(new Local(null)));
        List<Object> children = new ArrayList<>();
        Tree tree = new Tree("root", children);
        children.add(tree);
        assertEquals("{\"name\":\"root\",\"child\":[" + opaque(Tree.class, "$.child[0]") + "]}", json(tree));
    }

    @Test
    void classesWithoutAFormAreOpaqueAndKeepTheirNeighbours() {
        Object bean = new Object() {
            @SuppressWarnings("unused") // a getter is not asked
            public String getName() {
                throw new AssertionError("asked");
            }
        };
        Supplier<String> lambda = () -> "x";
        Iterable<Integer> iterable = () -> {
            throw new AssertionError("consumed");
        };
        assertEquals("{\"a\":" + opaque(bean.getClass(), "$.a") + "}", json(Map.of("a", bean)));
        assertFalse(json(lambda).contains("0x"));
        assertTrue(json(lambda).contains("PortableTest$$Lambda"));
        assertTrue(json(iterable).startsWith("{\"$iso:opaque\""));
        assertEquals(opaque(StringBuilder.class, "$"), json(new StringBuilder("x")));
        assertEquals(opaque(Exception.class, "$"), json(new Exception("m")));
        assertEquals(opaque(java.util.concurrent.atomic.AtomicInteger.class, "$"),
                json(new java.util.concurrent.atomic.AtomicInteger(1)));
    }

    @Test
    void collectionsThatThrowAreOpaque() {
        List<Object> list = new AbstractList<>() {
            @Override
            public Object get(int index) {
                throw new IllegalStateException("session closed");
            }

            @Override
            public int size() {
                return 2;
            }
        };
        Map<String, Object> map = new AbstractMap<>() {
            @Override
            public Set<Entry<String, Object>> entrySet() {
                throw new IllegalStateException("session closed");
            }
        };
        assertEquals("[1," + opaque(list.getClass(), "$[1]") + ",2]", json(List.of(1, list, 2)));
        assertEquals("{\"m\":" + opaque(map.getClass(), "$.m") + "}", json(Map.of("m", map)));
    }

    @Test
    void anEmptyListInItselfIsNoLoopAndOneListTwiceIsNone() {
        List<Object> shared = new ArrayList<>(List.of(1));
        assertEquals("{\"a\":[1],\"b\":[1]}", json(new LinkedHashMap<>(Map.of("a", shared)) {
            private static final long serialVersionUID = 1L;

            {
                put("b", shared);
            }
        }));
        assertEquals("[[],[]]", json(List.of(List.of(), List.of())));
        Object[] array = new Object[1];
        array[0] = array;
        assertEquals("[" + opaque(Object[].class, "$[0]").replace("[Ljava", "[Ljava") + "]", json(array));
    }

    @Test
    void keysWithOneEncodingMakeTheMapOpaque() {
        Map<Object, Object> clash = new LinkedHashMap<>();
        clash.put(1, "int");
        clash.put(1L, "long");
        assertEquals("[" + opaque(LinkedHashMap.class, "$[0]") + ",2]", json(List.of(clash, 2)));
        Map<Object, Object> names = new LinkedHashMap<>();
        names.put("RED", 1);
        names.put(Fixtures.Color.RED, 2);
        assertEquals(opaque(LinkedHashMap.class, "$"), json(names));
        assertThrows(PortableException.class, () -> Portable.encode(names, new Limits(100, true)));
        assertArrayEquals(Canonical.encode(new Opaque(LinkedHashMap.class.getName(), "$")), Canonical.encode(names));
        Map<Object, Object> nested = new LinkedHashMap<>();
        nested.put(List.of(clash), 1);
        assertEquals(
                "{\"$iso:map\":[[[" + opaque(LinkedHashMap.class, "${}[0]") + "],1]]}", json(nested));
    }

    @Test
    void setsAreOrderedAtEveryDepth() {
        Set<Object> inner = new LinkedHashSet<>(List.of(2, 10, 1));
        Set<Object> outer = new LinkedHashSet<>(List.of("b", inner, Map.of(3, "x", 20, "y"), "a"));
        assertEquals(
                "{\"$iso:set\":[\"a\",\"b\",{\"$iso:map\":[[20,\"y\"],[3,\"x\"]]},{\"$iso:set\":[10,1,2]}]}",
                json(outer));
        assertArrayEquals(Canonical.encode(outer), Canonical.encode(Portable.decode(json(outer))));
        assertEquals("{\"$iso:set\":[1]}", json(new LinkedHashSet<Object>(List.of(1, 1L, (short) 1))));
    }

    private static final class Celsius {
        private final double degrees;

        Celsius(double degrees) {
            this.degrees = degrees;
        }
    }

    private interface Shape {}

    private static final class Square implements Shape {}

    private static final class Endless {}

    @Test
    void convertersAreFoundByClassSuperclassAndInterface() {
        Converters.register(Celsius.class, celsius -> celsius.degrees);
        Converters.register(Shape.class, shape -> Optional.of(List.of("shape")));
        Converters.register(Endless.class, endless -> new Endless());
        Converters.register(Loud.class, loud -> "loud");
        Converters.register(Fixtures.Level.class, level -> 1);
        try {
            assertEquals("{\"t\":21.5}", json(Map.of("t", new Celsius(21.5))));
            assertEquals("{\"$iso:map\":[[21.5,1]]}", json(Map.of(new Celsius(21.5), 1)));
            assertEquals("[\"shape\"]", json(new Square()));
            assertEquals(opaque(Endless.class, "$"), json(new Endless()));
            assertEquals("\"loud\"", json(new Loud("hi")));
            assertEquals("{\"loud\":1}", json(Map.of(new Loud("hi"), 1)));
            assertEquals("1", json(Fixtures.Level.LOW));
        } finally {
            List.of(Celsius.class, Shape.class, Endless.class, Loud.class, Fixtures.Level.class)
                    .forEach(Converters::unregister);
        }
        assertEquals(opaque(Celsius.class, "$"), json(new Celsius(21.5)));
        assertEquals("{\"word\":\"HI\"}", json(new Loud("hi")));
    }

    @Test
    void instantsAndDurationsReachTheirEnds() {
        assertEquals("{\"$iso:offsetdatetime\":\"1970-01-01T00:00:00Z\"}", json(Instant.EPOCH));
        assertEquals(opaque(Instant.class, "$"), json(Instant.MAX));
        assertEquals("{\"$iso:duration\":\"-9223372036854775808\"}", json(Duration.ofSeconds(Long.MIN_VALUE)));
        assertEquals("{\"$iso:duration\":\"-9223372036854775807.5\"}",
                json(Duration.ofSeconds(Long.MIN_VALUE, 500_000_000)));
        for (Duration duration : List.of(Duration.ofSeconds(Long.MIN_VALUE), Duration.ofSeconds(Long.MIN_VALUE, 1),
                Duration.ofSeconds(Long.MAX_VALUE, 999_999_999), Duration.ofNanos(-1), Duration.ZERO)) {
            assertEquals(duration, Portable.decode(json(duration)));
        }
        ZonedDateTime fixed = ZonedDateTime.ofInstant(Instant.EPOCH, ZoneId.of("GMT+2"));
        assertEquals("{\"$iso:offsetdatetime\":\"1970-01-01T02:00:00+02:00\"}", json(fixed));
    }

    @Test
    void doublesAreWrittenAlikeInBothLanguages() {
        Map<Double, String> texts = new LinkedHashMap<>();
        texts.put(1.0, "1.0");
        texts.put(12345678.9, "12345678.9");
        texts.put(1e15, "1000000000000000.0");
        texts.put(1.2345e15, "1234500000000000.0");
        texts.put(1e16, "1e+16");
        texts.put(1.5e300, "1.5e+300");
        texts.put(0.001, "0.001");
        texts.put(0.0001, "0.0001");
        texts.put(-0.00012, "-0.00012");
        texts.put(0.0000123, "0.0000123");
        texts.put(0.000001, "1e-6");
        texts.put(2.5e-7, "2.5e-7");
        texts.put(Double.MIN_VALUE, "5e-324");
        texts.put(2e-3, "0.002");
        texts.put(2.2250738585072014E-308, "2.2250738585072014e-308");
        texts.forEach((number, text) -> assertEquals(text, DoubleText.of(number)));
    }

    @Test
    void aResultBeyondItsLimitIsRefusedEarly() {
        Object endless = new AbstractList<Object>() {
            @Override
            public Object get(int index) {
                return "0123456789";
            }

            @Override
            public int size() {
                return 100_000;
            }
        };
        PortableException refused =
                assertThrows(PortableException.class, () -> Portable.encode(endless, new Limits(1000, false)));
        assertEquals("the result takes more than 1000 bytes", refused.getMessage());
        assertEquals(PortableException.Reason.TOO_LARGE, refused.reason());
        assertEquals(ErrorKind.TOO_LARGE, refused.kind());
        assertEquals(5, Portable.encode("abc", new Limits(5, false)).length);
        assertThrows(PortableException.class, () -> Portable.encode("abc", new Limits(4, false)));
        assertThrows(PortableException.class, () -> Portable.encode(Set.of("abc", "def"), new Limits(25, false)));
    }

    @Test
    void textThatIsNotUtf8IsRefused() {
        for (byte[] text : new byte[][] {
            {'"', (byte) 0xFF, '"'}, {'"', (byte) 0xC0, (byte) 0x80, '"'},
            {'"', (byte) 0xED, (byte) 0xA0, (byte) 0x80, '"'}, {'"', (byte) 0xC3, '"'},
            "1".getBytes(StandardCharsets.UTF_16), "[1]".getBytes(StandardCharsets.UTF_16LE),
            "[1]".getBytes(StandardCharsets.UTF_16BE), {(byte) 0xEF, (byte) 0xBB}
        }) {
            PortableException refused = assertThrows(PortableException.class, () -> Portable.decode(text));
            assertEquals(PortableException.Reason.MALFORMED, refused.reason());
        }
        assertEquals("é", Portable.decode("\"é\"".getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void refusalsDoNotRepeatWhatTheyRefuse() {
        for (String text : List.of("hunter2", "{\"a\":hunter2}", "{\"a\":\"hunter2", "[hunter2", "{\"hunter2\" 1}")) {
            PortableException refused = assertThrows(PortableException.class, () -> Portable.decode(text));
            assertFalse(refused.getMessage().contains("hunter2"), refused.getMessage());
        }
        PortableException far = assertThrows(PortableException.class, () -> Portable.decode("{\"a\":[1,1e400]}"));
        assertEquals("$.a[1]: a number beyond the range of binary64", far.getMessage());
        PortableException digits = assertThrows(
                PortableException.class, () -> Portable.decode("[{\"x y\":" + "9".repeat(4301) + "}]"));
        assertEquals("$[0][\"x y\"]: an integer of more than 4300 digits", digits.getMessage());
    }

    @Test
    void depthOfContainersIsLimitedWhenReadAndWritten() {
        String sets = "{\"$iso:set\":[".repeat(128) + "1" + "]}".repeat(128);
        assertEquals(sets, json(Portable.decode(sets)));
        assertThrows(PortableException.class, () -> Portable.decode("[" + sets + "]"));
        assertThrows(PortableException.class, () -> Portable.decode("{\"$iso:set\":[" + sets + "]}"));
        String unknown = "{\"$iso:x\":" + "[".repeat(300) + "]".repeat(300) + "}";
        assertEquals(unknown, json(Portable.decode(unknown)));
        String bytes = "[".repeat(128) + "{\"$iso:bytes\":\"\"}" + "]".repeat(128);
        assertEquals(bytes, json(Portable.decode(bytes)));
        assertThrows(PortableException.class, () -> Portable.decode("[" + bytes + "]"));
        String objects = "{\"a\":".repeat(129) + "1" + "}".repeat(129);
        assertThrows(PortableException.class, () -> Portable.decode(objects));
    }

    @Test
    void decodedCollectionsKeepTheirOrderAndCannotBeChanged() {
        Map<?, ?> map = (Map<?, ?>) Portable.decode("{\"b\":[1,2],\"a\":{\"$iso:set\":[10,2]}}");
        assertEquals(List.of("b", "a"), List.copyOf(map.keySet()));
        assertThrows(UnsupportedOperationException.class, map::clear);
        assertThrows(UnsupportedOperationException.class, ((List<?>) map.get("b"))::clear);
        Set<?> set = (Set<?>) map.get("a");
        assertThrows(UnsupportedOperationException.class, set::clear);
        Iterator<?> elements = set.iterator();
        assertEquals(10L, elements.next());
        assertThrows(UnsupportedOperationException.class, elements::remove);
        Map<?, ?> keyed = (Map<?, ?>) Portable.decode("{\"$iso:map\":[[1,2]]}");
        assertThrows(UnsupportedOperationException.class, keyed::clear);
    }

    @Test
    void setsAndMapsOfTagsAreFoundByEncoding() {
        Set<?> set = (Set<?>) Portable.decode("{\"$iso:set\":[1.0,1,{\"$iso:bytes\":\"aGk=\"}]}");
        assertTrue(set.contains(new byte[] {'h', 'i'}));
        assertTrue(set.contains(1));
        assertTrue(set.contains(1L));
        assertTrue(set.contains(1.0f));
        assertFalse(set.contains("1"));
        assertEquals(Set.of(1L), Portable.decode("{\"$iso:set\":[1]}"));
        assertEquals(Portable.decode("{\"$iso:set\":[1]}"), Set.of(1L));
        assertEquals(Set.of(1L).hashCode(), Portable.decode("{\"$iso:set\":[1]}").hashCode());
        String bytes = "{\"$iso:set\":[{\"$iso:bytes\":\"aGk=\"}]}";
        assertEquals(Portable.decode(bytes), Portable.decode(bytes));
        assertEquals(Portable.decode(bytes).hashCode(), Portable.decode(bytes).hashCode());
        assertNotSame(Portable.decode(bytes), Portable.decode(bytes));
        Map<?, ?> map = (Map<?, ?>) Portable.decode(
                "{\"$iso:map\":[[25,26],[null,\"n\"],[{\"$iso:bytes\":\"aGk=\"},\"b\"]]}");
        assertEquals(26L, map.get(25));
        assertEquals(26L, map.get(25L));
        assertEquals("n", map.get(null));
        assertEquals("b", map.get(new byte[] {'h', 'i'}));
        assertNull(map.get("25"));
        assertFalse(map.containsKey("25"));
        assertEquals(Map.of(25L, 26L), Portable.decode("{\"$iso:map\":[[25,26]]}"));
        assertEquals(Map.of(25L, 26L).hashCode(), Portable.decode("{\"$iso:map\":[[25,26]]}").hashCode());
    }

    @Test
    void plainJsonIsHandedOnAsItWasRead() {
        assertEquals(Map.of("$iso:date", "2024-01-31"), Portable.decodePlain("{\"$iso:date\":\"2024-01-31\"}"));
        List<?> plain = (List<?>) JsonReader.plain("[{\"a\":[1,{\"b\":2}]}]");
        assertSame(plain, Tags.decode(plain));
        assertEquals(
                "{\"$iso:map\":[[\"$iso:date\",\"2024-01-31\"]]}",
                json(Portable.decodePlain("{\"$iso:date\":\"2024-01-31\"}")));
    }

    @Test
    void taggedNeedsAWholeKey() {
        assertThrows(Misuse.class, () -> new Tagged("matrix", 1));
        assertEquals("{\"$iso:x\":{\"$iso:y\":[1,null]}}",
                json(new Tagged("$iso:x", Map.of("$iso:y", Arrays.asList(1, null)))));
        assertEquals("{\"$iso:x\":{\"$iso:date\":\"2024-01-31\"}}",
                json(new Tagged("$iso:x", java.time.LocalDate.of(2024, 1, 31))));
        List<Object> loop = new ArrayList<>();
        loop.add(loop);
        assertEquals("{\"$iso:x\":[" + opaque(ArrayList.class, "$[0]") + "]}", json(new Tagged("$iso:x", loop)));
        assertEquals("{\"$iso:x\":{\"$iso:map\":[[{\"$iso:str\":[55296]},{\"$iso:y\":1}]]}}",
                json(new Tagged("$iso:x", Collections.singletonMap("\uD800", Map.of("$iso:y", 1)))));
    }
}
