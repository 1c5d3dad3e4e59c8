// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** The compiled checks judge as the judge does, whatever they are asked. */
final class SchemaCheckPropertyTest {

    private static final List<String> NAMES = List.of("a", "b", "c");

    @Property(tries = 3_000, edgeCases = EdgeCasesMode.NONE)
    void theCompiledCheckAgreesWithTheJudge(
            @ForAll("schemas") Map<String, Object> schema, @ForAll("values") Object value) {
        SchemaCheck.Check check = SchemaCheck.compile(new SchemaTree(schema));
        assertNotNull(check, "every keyword here is compiled");
        boolean judged = JsonSchema.of("property", schema).violations(value).isEmpty();
        assertEquals(judged, check.accepts(value), () -> schema + " for " + value);
    }

    /** Values drawn for the schema itself, so that many of them are valid. */
    @Property(tries = 1_000)
    void theyAgreeNearTheirBounds(
            @ForAll("bounds") Number low, @ForAll("bounds") Number high, @ForAll("bounds") Number value) {
        for (String[] keywords : new String[][] {{"minimum", "maximum"}, {"exclusiveMinimum", "exclusiveMaximum"}}) {
            Map<String, Object> schema = new LinkedHashMap<>();
            schema.put("type", "number");
            schema.put(keywords[0], low);
            schema.put(keywords[1], high);
            boolean judged = JsonSchema.of("property", schema).violations(value).isEmpty();
            assertEquals(judged, SchemaCheck.compile(new SchemaTree(schema)).accepts(value), () -> schema + " " + value);
        }
    }

    @Provide
    Arbitrary<Number> bounds() {
        return Arbitraries.of(
                0L, 1L, -1L, 1.0, -0.0, 0.5, Long.MAX_VALUE, Long.MIN_VALUE, (double) Long.MAX_VALUE, (double) Long.MIN_VALUE,
                9007199254740992L, 9007199254740993L, 9007199254740992.0, 1e30, -1e30, Double.MAX_VALUE, Double.MIN_VALUE,
                BigInteger.valueOf(Long.MAX_VALUE).add(BigInteger.ONE), BigInteger.TEN.pow(30), (long) Integer.MAX_VALUE,
                (double) Float.MAX_VALUE, (double) -Float.MAX_VALUE);
    }

    @Provide
    Arbitrary<Map<String, Object>> schemas() {
        return schema(2);
    }

    private static Arbitrary<Map<String, Object>> schema(int depth) {
        List<Arbitrary<Map<String, Object>>> parts = new ArrayList<>(List.of(
                Arbitraries.of(
                                "string", "integer", "number", "boolean", "object", "array", "null",
                                List.of("string", "null"), List.of("integer", "object"), List.of("number", "array"))
                        .map(type -> Map.of("type", type)),
                Arbitraries.integers().between(0, 3).map(n -> Map.of("minLength", n.longValue())),
                Arbitraries.integers().between(0, 3).map(n -> Map.of("maxLength", n.longValue())),
                Arbitraries.integers().between(0, 2).map(n -> Map.of("minItems", n.longValue(), "maxItems", n + 1L)),
                Arbitraries.integers().between(0, 2).map(n -> Map.of("minProperties", n.longValue())),
                Arbitraries.just(Map.of("uniqueItems", true)),
                leaf().list().ofMinSize(1).ofMaxSize(3).map(members -> Map.of("enum", members)),
                leaf().map(value -> {
                    Map<String, Object> one = new LinkedHashMap<>();
                    one.put("const", value);
                    return one;
                })));
        if (depth > 0) {
            Arbitrary<Map<String, Object>> inner = schema(depth - 1);
            parts.add(Combinators.combine(Arbitraries.of(NAMES), inner, Arbitraries.of(true, false), inner)
                    .as((name, property, open, others) -> Map.of(
                            "properties", Map.of(name, property),
                            "required", open ? List.of() : List.of(name),
                            "additionalProperties", open ? others : false)));
            parts.add(inner.map(item -> Map.of("items", item)));
            parts.add(inner.list().ofMinSize(1).ofMaxSize(2).map(all -> Map.of("anyOf", all)));
            parts.add(inner.list().ofMinSize(1).ofMaxSize(2).map(all -> Map.of("allOf", all)));
            parts.add(inner.map(one -> Map.of("$ref", "#/$defs/one", "$defs", Map.of("one", one))));
        }
        return Arbitraries.oneOf(parts).list().ofMinSize(1).ofMaxSize(2).map(SchemaCheckPropertyTest::merged);
    }

    /** References lead to the root's definitions, so only the last one drawn may bring some. */
    private static Map<String, Object> merged(List<Map<String, Object>> parts) {
        Map<String, Object> schema = new LinkedHashMap<>();
        parts.forEach(schema::putAll);
        return rooted(schema);
    }

    private static Map<String, Object> rooted(Map<String, Object> schema) {
        Map<String, Object> copy = new LinkedHashMap<>();
        Map<String, Object> definitions = new LinkedHashMap<>();
        schema.forEach((key, value) -> copy.put(key, key.equals("$defs") ? value : withoutReferences(value)));
        if (copy.get("$defs") instanceof Map<?, ?> own) {
            own.forEach((name, one) -> definitions.put((String) name, withoutReferences(one)));
            copy.put("$defs", definitions);
        }
        return copy;
    }

    private static Object withoutReferences(Object value) {
        if (value instanceof Map<?, ?> map) {
            Map<Object, Object> copy = new LinkedHashMap<>(map);
            copy.keySet().removeAll(Set.of("$ref", "$defs"));
            copy.replaceAll((key, member) -> withoutReferences(member));
            return copy;
        }
        return value instanceof List<?> list
                ? new ArrayList<>(list.stream().map(SchemaCheckPropertyTest::withoutReferences).toList())
                : value;
    }

    @Provide
    Arbitrary<Object> values() {
        return value(2);
    }

    private static Arbitrary<Object> value(int depth) {
        if (depth == 0) {
            return leaf();
        }
        Arbitrary<Object> inner = value(depth - 1);
        return Arbitraries.frequencyOf(
                Tuple.of(2, leaf()),
                Tuple.of(3, Arbitraries.maps(Arbitraries.of(NAMES), inner).ofMaxSize(3).map(map -> map)),
                Tuple.of(2, inner.list().ofMaxSize(3).map(list -> list)));
    }

    private static Arbitrary<Object> leaf() {
        return Arbitraries.of(
                        "", "a", "ab", "😀", "😀😀", 0L, 1L, 2L, 1.0, 0.0, -0.0, 1.5, true, false, 1e30,
                        BigInteger.TEN.pow(30), Long.MAX_VALUE)
                .injectNull(0.1)
                .map(value -> value);
    }
}
