// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.contract.Effect;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.Returned;
import dev.isonomy.contract.Settled;
import dev.isonomy.contract.ToolError;
import dev.isonomy.contract.ToolResponse;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What methods receive as parameters, and what the schema says of them. */
final class MethodToolTest {

    record Point(int x, int y) {}

    record Shape(
            @ToolParam(description = "what it is called") String name,
            List<Point> points,
            Optional<Point> centre,
            @ToolParam(defaultValue = "1.5") double scale,
            @ToolParam(name = "fill_colour", required = false) String fill) {}

    record Node(String name, List<Node> children, Optional<Node> next) {}

    record Page<T>(List<T> items, int size) {}

    record Positive(int n) {
        Positive {
            if (n <= 0) {
                throw new IllegalArgumentException("n is not positive");
            }
        }
    }

    static final class Tools {
        @Tool(description = "Adds two integers.")
        public static long add(@ToolParam(description = "the first") long a, long b) {
            return Math.addExact(a, b);
        }

        @Tool
        public String numbers(byte b, short s, int i, long l, float f, double d, boolean z, char c) {
            return List.of(b, s, i, l, f, d, z, c).toString();
        }

        @Tool
        public Object boxes(Integer i, Long l, Double d, Boolean z, Character c) {
            return List.of(i, l, d, z, c);
        }

        @Tool
        public Object big(BigInteger integer, BigDecimal decimal, Number number) {
            return List.of(integer, decimal, number);
        }

        @Tool
        public Object times(
                LocalDate date, LocalTime time, OffsetTime offsetTime, LocalDateTime dateTime, OffsetDateTime offset,
                ZonedDateTime zoned, Instant instant, Duration duration) {
            return List.of(date, time, offsetTime, dateTime, offset, zoned, instant, duration);
        }

        @Tool
        public Object others(UUID id, byte[] bytes, DayOfWeek day, CharSequence text, Object any) {
            return Arrays.asList(id, bytes, day, text.toString(), any);
        }

        @Tool
        public Shape shape(Shape shape) {
            return shape;
        }

        @Tool
        public Node node(Node node) {
            return node;
        }

        @Tool
        public Page<Point> page(Page<Point> page) {
            return page;
        }

        @Tool
        public Object collections(
                List<Integer> list, Set<String> set, SortedSet<LocalDate> sorted, Collection<List<Long>> nested,
                int[] ints, Point[] points) {
            return List.of(list, set, sorted, nested, Arrays.toString(ints), Arrays.toString(points));
        }

        @Tool
        public Object maps(
                Map<String, Integer> plain, Map<DayOfWeek, Point> byDay, SortedMap<Integer, String> byNumber,
                Map<UUID, List<String>> byId, Map<String, Object> open) {
            return List.of(plain, byDay, byNumber, byId, open);
        }

        @Tool
        public Object optionals(Optional<String> text, OptionalInt number, List<Optional<Integer>> inside) {
            return List.of(text, number, inside);
        }

        @Tool
        public Object defaults(
                @ToolParam(defaultValue = "10") int n,
                @ToolParam(defaultValue = "red") String colour,
                @ToolParam(defaultValue = "[1,2]") List<Integer> list,
                @ToolParam(defaultValue = "2026-01-31") LocalDate day,
                @ToolParam(defaultValue = "MONDAY") DayOfWeek weekday,
                @ToolParam(required = false) Integer none) {
            return Arrays.asList(n, colour, list, day, weekday, none);
        }

        @Tool(name = "renamed", version = "2", maxParallel = 3, deadlineMs = 1500, allowUnknown = true)
        public Object named(@ToolParam(name = "the value") String value) {
            return value;
        }

        @Tool
        public Object hosted(String question, @Injected(name = "tenant_id", identity = true) String tenant,
                @Injected Integer quota, ToolContext context) {
            return question + " " + tenant + " " + quota + " " + context.attempt();
        }

        @Tool
        public void nothing() {
            // returns nothing
        }

        @Tool
        public ToolResponse refuses() {
            return ToolResponse.failure("no stock").code("OUT").build();
        }

        @Tool
        public int positive(Positive n) {
            return n.n();
        }

        @Tool
        public static Object varied(String... words) {
            return words.length;
        }
    }

    private static Object value(String tool, Object arguments) {
        return Invoking.value(Invoking.tool(new Tools(), tool), arguments);
    }

    private static ToolError refused(String tool, Object arguments) {
        return Invoking.refused(Invoking.tool(new Tools(), tool), arguments);
    }

    private static Map<String, Object> schema(String tool) {
        return Invoking.tool(new Tools(), tool).spec().inputSchema();
    }

    private static Object property(String tool, String name) {
        return ((Map<?, ?>) schema(tool).get("properties")).get(name);
    }

    @Test
    void aStaticMethodAndItsSchema() {
        assertEquals(5L, value("add", Map.of("a", 2, "b", 3)));
        BoundTool add = Invoking.tool(new Tools(), "add");
        assertEquals("Adds two integers.", add.spec().description());
        assertEquals(
                Map.of(
                        "type", "object",
                        "properties", Map.of(
                                "a", Map.of("type", "integer", "minimum", Long.MIN_VALUE, "maximum", Long.MAX_VALUE,
                                        "description", "the first"),
                                "b", Map.of("type", "integer", "minimum", Long.MIN_VALUE, "maximum", Long.MAX_VALUE)),
                        "required", List.of("a", "b"),
                        "additionalProperties", false),
                add.spec().inputSchema());
        assertThrows(UnsupportedOperationException.class, () -> add.spec().inputSchema().clear());
    }

    @Test
    void primitivesAndBoxes() {
        String text = "{\"b\":-128,\"s\":32767,\"i\":-2147483648,\"l\":9223372036854775807,\"f\":-6.0,\"d\":5e-324,"
                + "\"z\":true,\"c\":\"x\"}";
        assertEquals("[-128, 32767, -2147483648, 9223372036854775807, -6.0, 4.9E-324, true, x]", value("numbers", text));
        assertEquals(
                List.of(1, 2L, 3.0, false, 'y'),
                value("boxes", Map.of("i", 1.0, "l", 2, "d", 3, "z", false, "c", "y")));
    }

    @Test
    void wholeNumbersAndDecimalsAreExact() {
        assertEquals(
                List.of(new BigInteger("123456789012345678901234567890"), new BigDecimal("0.10"), 1.5),
                value("big", "{\"integer\":123456789012345678901234567890,\"decimal\":\"0.10\",\"number\":1.5}"));
        assertEquals(
                List.of(BigInteger.TEN, new BigDecimal("9007199254740993"), 9007199254740993L),
                value("big", "{\"integer\":10.0,\"decimal\":9007199254740993,\"number\":9007199254740993}"));
        assertEquals(
                List.of(BigInteger.ONE, new BigDecimal("0.1"), 1L),
                value("big", "{\"integer\":1,\"decimal\":0.1,\"number\":1}"));
    }

    @Test
    void timesAreTexts() {
        Map<String, String> texts = new LinkedHashMap<>();
        texts.put("date", "2026-01-31");
        texts.put("time", "10:15:30.000000001");
        texts.put("offsetTime", "10:15:30+01:00");
        texts.put("dateTime", "2026-01-31T10:15:30");
        texts.put("offset", "2026-01-31T10:15:30Z");
        texts.put("zoned", "2026-01-31T10:15:30+01:00[Europe/Paris]");
        texts.put("instant", "2026-01-31T10:15:30+01:00");
        texts.put("duration", "PT1H30M");
        assertEquals(
                List.of(
                        LocalDate.of(2026, 1, 31), LocalTime.of(10, 15, 30, 1), OffsetTime.parse("10:15:30+01:00"),
                        LocalDateTime.of(2026, 1, 31, 10, 15, 30), OffsetDateTime.parse("2026-01-31T10:15:30Z"),
                        ZonedDateTime.parse("2026-01-31T10:15:30+01:00[Europe/Paris]"),
                        Instant.parse("2026-01-31T09:15:30Z"), Duration.ofMinutes(90)),
                value("times", texts));
        texts.put("date", "31.1.2026");
        texts.put("duration", "90 minutes");
        ToolError error = refused("times", texts);
        assertEquals("date: cannot be read as date; duration: cannot be read as duration", error.message());
    }

    @Test
    void otherTextsAndAnything() {
        UUID id = UUID.randomUUID();
        Map<String, Object> arguments = new LinkedHashMap<>(Map.of(
                "id", id.toString(), "bytes", "/wD+", "day", "FRIDAY", "text", "t", "any", List.of(1L, Map.of("a", 2L))));
        List<?> received = (List<?>) value("others", arguments);
        assertEquals(id, received.get(0));
        assertArrayEquals(new byte[] {(byte) 0xff, 0, (byte) 0xfe}, (byte[]) received.get(1));
        assertEquals(List.of(DayOfWeek.FRIDAY, "t", List.of(1L, Map.of("a", 2L))), received.subList(2, 5));
        arguments.put("any", null);
        assertNull(((List<?>) value("others", arguments)).get(4));
        arguments.put("bytes", "not base64!");
        arguments.put("day", "Freitag");
        ToolError error = refused("others", arguments);
        assertTrue(error.message().startsWith("day: expected one of [\"MONDAY\","), error.message());
        arguments.put("day", "FRIDAY");
        assertEquals("bytes: cannot be read as bytes", refused("others", arguments).message());
    }

    @Test
    void recordsAreObjects() {
        assertEquals(
                new Shape("s", List.of(new Point(1, 2)), Optional.of(new Point(3, 4)), 2.0, "red"),
                value("shape", "{\"shape\":{\"name\":\"s\",\"points\":[{\"x\":1,\"y\":2}],\"centre\":{\"x\":3,\"y\":4},"
                        + "\"scale\":2,\"fill_colour\":\"red\"}}"));
        assertEquals(
                new Shape("s", List.of(), Optional.empty(), 1.5, null),
                value("shape", "{\"shape\":{\"name\":\"s\",\"points\":[],\"centre\":null}}"));
        assertEquals(
                "shape.name: expected string; shape.points[0].y: required; shape.points[0].z: unknown argument",
                refused("shape", "{\"shape\":{\"name\":1,\"points\":[{\"x\":1,\"z\":2}]}}").message());
        Map<?, ?> schema = (Map<?, ?>) property("shape", "shape");
        assertEquals(List.of("name", "points"), schema.get("required"));
        assertEquals(
                Map.of("type", "string", "description", "what it is called"),
                ((Map<?, ?>) schema.get("properties")).get("name"));
        assertEquals(1.5, ((Map<?, ?>) ((Map<?, ?>) schema.get("properties")).get("scale")).get("default"));
    }

    @Test
    void recordsMayHoldThemselves() {
        assertEquals(
                new Node("a", List.of(new Node("b", List.of(), Optional.empty())), Optional.empty()),
                value("node", "{\"node\":{\"name\":\"a\",\"children\":[{\"name\":\"b\",\"children\":[]}]}}"));
        assertEquals(Map.of("$ref", "#/$defs/Node"), property("node", "node"));
        assertEquals(
                "node.children[0].name: expected string; node.children[0].next: expected object",
                refused("node", "{\"node\":{\"name\":\"a\",\"children\":[{\"name\":1,\"children\":[],\"next\":1}]}}")
                        .message());
    }

    @Test
    void genericRecordsKnowTheirTypes() {
        assertEquals(
                new Page<>(List.of(new Point(1, 2)), 1),
                value("page", "{\"page\":{\"items\":[{\"x\":1,\"y\":2}],\"size\":1}}"));
        assertEquals(
                "page.size: must be <= 2147483647",
                refused("page", "{\"page\":{\"items\":[],\"size\":5000000000}}").message());
    }

    @Test
    void aRecordThatRefusesItsComponentsCannotBeRead() {
        assertEquals(3, value("positive", "{\"n\":{\"n\":3}}"));
        assertEquals("n: cannot be read as Positive", refused("positive", "{\"n\":{\"n\":-3}}").message());
    }

    @Test
    void collections() {
        assertEquals(
                List.of(
                        List.of(1, 2), Set.of("a", "b"),
                        new TreeSet<>(List.of(LocalDate.of(2026, 1, 1), LocalDate.of(2026, 1, 2))),
                        List.of(List.of(1L)), "[1, 2]", "[Point[x=1, y=2]]"),
                value("collections", "{\"list\":[1,2.0],\"set\":[\"b\",\"a\"],\"sorted\":[\"2026-01-02\",\"2026-01-01\"],"
                        + "\"nested\":[[1]],\"ints\":[1,2],\"points\":[{\"x\":1,\"y\":2}]}"));
        ToolError error = refused("collections", "{\"list\":[1,null,3000000000],\"set\":[\"a\",\"a\"],\"sorted\":[\"x\"],"
                + "\"nested\":[[1],2],\"ints\":{},\"points\":[]}");
        assertEquals(
                "ints: expected array; list[1]: expected integer; list[2]: must be <= 2147483647;"
                        + " nested[1]: expected array; set: items must differ",
                error.message());
    }

    @Test
    void everyPlaceThatCannotBeReadIsNamed() {
        ToolError error = refused("collections", "{\"list\":[],\"set\":[],\"sorted\":[\"x\",\"2026-01-01\",\"y\"],"
                + "\"nested\":[],\"ints\":[],\"points\":[]}");
        assertEquals("sorted[0]: cannot be read as date; sorted[2]: cannot be read as date", error.message());
    }

    @Test
    void maps() {
        UUID id = UUID.randomUUID();
        assertEquals(
                List.of(
                        Map.of("a", 1), Map.of(DayOfWeek.MONDAY, new Point(1, 2)), Map.of(7, "seven"),
                        Map.of(id, List.of("x")), Map.of("k", List.of(1L))),
                value("maps", "{\"plain\":{\"a\":1},\"byDay\":{\"MONDAY\":{\"x\":1,\"y\":2}},\"byNumber\":{\"7\":\"seven\"},"
                        + "\"byId\":{\"" + id + "\":[\"x\"]},\"open\":{\"k\":[1]}}"));
        ToolError error = refused("maps", "{\"plain\":{\"a\":\"1\"},\"byDay\":{\"Montag\":{\"x\":1,\"y\":2}},"
                + "\"byNumber\":{},\"byId\":{},\"open\":{}}");
        assertEquals("byDay: breaks the rule propertyNames; plain.a: expected integer", error.message());
        error = refused("maps", "{\"plain\":{},\"byDay\":{},\"byNumber\":{\"x\":\"\",\"01\":\"\",\"1\":\"\"},"
                + "\"byId\":{},\"open\":{}}");
        assertEquals(
                "byNumber.x: cannot be read as a key that is an integer;"
                        + " byNumber[\"1\"]: cannot be read as a key that differs from the others",
                error.message());
    }

    @Test
    void optionals() {
        assertEquals(
                List.of(Optional.of("t"), OptionalInt.of(3), List.of(Optional.of(1), Optional.empty())),
                value("optionals", "{\"text\":\"t\",\"number\":3,\"inside\":[1,null]}"));
        assertEquals(
                List.of(Optional.empty(), OptionalInt.empty(), List.of()),
                value("optionals", "{\"text\":null,\"inside\":[]}"));
        assertEquals(List.of("inside"), schema("optionals").get("required"));
    }

    @Test
    void defaultsAreReadAsTheirTypes() {
        assertEquals(
                Arrays.asList(10, "red", List.of(1, 2), LocalDate.of(2026, 1, 31), DayOfWeek.MONDAY, null),
                value("defaults", null));
        assertEquals(
                Arrays.asList(10, "blue", List.of(1, 2), LocalDate.of(2026, 1, 31), DayOfWeek.MONDAY, 4),
                value("defaults", "{\"n\":null,\"colour\":\"blue\",\"none\":4}"));
        assertEquals(10L, ((Map<?, ?>) property("defaults", "n")).get("default"));
        assertNull(schema("defaults").get("required"));
    }

    @Test
    void theAnnotationNamesAndLimits() {
        ToolSpec spec = Invoking.tool(new Tools(), "renamed").spec();
        assertEquals("2", spec.version());
        assertEquals(3, spec.maxParallel());
        assertEquals(Duration.ofMillis(1500), spec.deadline());
        assertEquals("x", value("renamed", "{\"the value\":\"x\",\"other\":1}"));
        assertEquals("[\"the value\"]: required", refused("renamed", "{}").message());
    }

    @Test
    void hostValuesAndTheContextAreNotInTheSchema() {
        BoundTool hosted = Invoking.tool(new Tools(), "hosted");
        assertEquals(Set.of("question"), ((Map<?, ?>) schema("hosted").get("properties")).keySet());
        assertEquals(
                Map.of("tenant", new InjectedParameter("tenant_id", true), "quota", new InjectedParameter("quota", false)),
                hosted.spec().injected());
        Map<String, Object> host = Map.of("tenant_id", "t1", "quota", 5L);
        assertEquals("q t1 5 1", ((Returned)
                Invoking.outcome(hosted, Map.of("question", "q"), host)).value());
        ToolError sent = ((Settled)
                Invoking.outcome(hosted, Map.of("question", "q", "Tenant", "evil"), host)).error();
        assertEquals("Tenant: is set by the host", sent.message());
    }

    @Test
    void aMissingOrUnfitHostValueIsInternalAndHoldsNoValue() {
        BoundTool hosted = Invoking.tool(new Tools(), "hosted");
        ToolError missing = ((Settled)
                Invoking.outcome(hosted, Map.of("question", "q"), Map.of("quota", 1))).error();
        assertEquals(ErrorKind.INTERNAL, missing.kind());
        assertEquals(Effect.NONE, missing.effect());
        assertTrue(missing.message().contains("\"tenant_id\""), missing.message());
        ToolError unfit = ((Settled) Invoking.outcome(
                hosted, Map.of("question", "q"), Map.of("tenant_id", "t", "quota", "hunter2"))).error();
        assertEquals(ErrorKind.INTERNAL, unfit.kind());
        assertTrue(unfit.message().contains("\"quota\"") && !unfit.message().contains("hunter2"), unfit.message());
    }

    @Test
    void whatMethodsReturn() {
        assertNull(value("nothing", null));
        assertEquals("no stock", ((ToolResponse) value("refuses", null)).error().message());
        assertEquals(2, value("varied", Map.of("words", List.of("a", "b"))));
    }

    @Test
    void aBodyIsCalledAsBefore() {
        assertEquals(3, Tools.add(1, 2));
        assertThrows(ArithmeticException.class, () -> Tools.add(Long.MAX_VALUE, 1));
    }

    static final class Unfit {
        public Object thread(Thread thread) {
            return thread;
        }

        public Object sorted(SortedSet<Object> items) {
            return items;
        }

        public Object keys(Map<Point, String> map) {
            return map;
        }

        public Object absent(@ToolParam(required = false) int n) {
            return n;
        }

        public Object unreadable(@ToolParam(defaultValue = "ten") int n) {
            return n;
        }

        public Object unfit(@ToolParam(defaultValue = "1.5") int n) {
            return n;
        }

        public Object twice(@ToolParam(name = "a") String one, @ToolParam(name = "a") String other) {
            return one + other;
        }

        public Object clash(String tenantId, @Injected(name = "x") String tenant_id) {
            return tenantId + tenant_id;
        }
    }

    private static String misuse(String method) {
        for (Method each : Unfit.class.getMethods()) {
            if (each.getName().equals(method)) {
                return assertThrows(Misuse.class, () -> BoundTool.of(each, new Unfit())).getMessage();
            }
        }
        throw new AssertionError(method);
    }

    @Test
    void whatCannotBeAParameterIsSaidWithItsPlaceAndARemedy() {
        assertEquals(
                "parameter thread of " + Unfit.class.getName() + ".thread has the type java.lang.Thread, which has no JSON"
                        + " form; use a record, a collection or a plain value, mark it @Injected, or give the tool a schema"
                        + " of its own; a method that is not yours can be called from one that is",
                misuse("thread"));
        assertTrue(misuse("sorted").contains("not Comparable"), misuse("sorted"));
        assertTrue(misuse("keys").contains("keys of type"), misuse("keys"));
        assertTrue(misuse("absent").contains("cannot be null"), misuse("absent"));
        assertTrue(misuse("unreadable").contains("not JSON"), misuse("unreadable"));
        assertTrue(misuse("unfit").contains("does not accept"), misuse("unfit"));
        assertTrue(misuse("twice").contains("name of another parameter"), misuse("twice"));
        assertTrue(misuse("clash").contains("has the name of an injected one"), misuse("clash"));
    }
}
