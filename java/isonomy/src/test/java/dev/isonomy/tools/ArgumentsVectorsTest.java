// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.contract.Canonical;
import dev.isonomy.contract.Effect;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.Outcome;
import dev.isonomy.contract.Portable;
import dev.isonomy.contract.Returned;
import dev.isonomy.contract.Settled;
import dev.isonomy.contract.ToolError;
import dev.isonomy.vectors.Fields;
import dev.isonomy.vectors.ReadsVectors;
import dev.isonomy.vectors.SameJson;
import dev.isonomy.vectors.Vectors;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Arguments, parsed and judged by tools of both kinds, against the vectors. */
@ReadsVectors("arguments")
final class ArgumentsVectorsTest {

    @TestFactory
    Stream<DynamicTest> arguments() {
        return Vectors.tests("arguments", ArgumentsVectorsTest::check);
    }

    private static void check(Fields vector) {
        Map<?, ?> injected = injected(vector.json("injected", List.of()));
        Map<String, Object> host = new HashMap<>();
        injected.values().forEach(name -> host.put((String) name, "host"));
        Object sent = vector.has("object")
                ? vector.json("object") == null ? null : Portable.decode(Vectors.text(vector.json("object")))
                : vector.text("arguments");
        if (vector.has("misuse")) {
            assertEquals(true, vector.json("misuse"));
            assertTrue(
                    !(vector.json("schema") instanceof Map)
                            || assertThrows(Misuse.class, () -> tool(vector, injected)) != null,
                    "the builder takes nothing but maps");
            return;
        }
        Invocation invocation = new Invocation(sent, host, new NoContext(), Boundary.NOTHING_PASSES);
        Outcome outcome = tool(vector, injected).invoke(invocation);
        if (vector.has("accepts")) {
            assertTrue(outcome instanceof Returned, () -> "refused: " + outcome);
            Map<?, ?> received = new LinkedHashMap<>((Map<?, ?>) ((Returned) outcome).value());
            injected.keySet().forEach(name -> assertEquals("host", received.remove(name)));
            SameJson.check(vector.text("accepts"), Portable.encode(received), "what the body receives");
        } else {
            checkRefusal(vector, outcome);
        }
        if (vector.has("decoded")) {
            assertEquals(vector.json("decoded"), invocation.decoded());
        }
        if (vector.has("digest")) {
            Object parsed = sent instanceof String text ? text.isBlank() ? Map.of() : Portable.decodePlain(text) : sent;
            assertEquals(vector.text("digest"), Canonical.digest(parsed));
        }
    }

    private static void checkRefusal(Fields vector, Outcome outcome) {
        assertTrue(outcome instanceof Settled, () -> "accepted: " + outcome);
        ToolError error = ((Settled) outcome).error();
        assertEquals(Effect.NONE, error.effect());
        if (vector.has("internal")) {
            assertEquals(ErrorKind.INTERNAL, error.kind());
            assertEquals(vector.text("internal"), error.message());
            return;
        }
        assertEquals(ErrorKind.INVALID_ARGUMENTS, error.kind());
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("violations", vector.json("violations"));
        if (vector.has("more")) {
            details.put("more", vector.json("more"));
        }
        SameJson.check(Vectors.text(details), Portable.encode(error.details()), "the violations");
        assertEquals(vector.text("message"), error.message());
    }

    /** The host's names by parameter; a list names both alike. */
    private static Map<?, ?> injected(Object given) {
        if (given instanceof Map<?, ?> names) {
            return names;
        }
        Map<Object, Object> names = new LinkedHashMap<>();
        ((List<?>) given).forEach(name -> names.put(name, name));
        return names;
    }

    @SuppressWarnings("unchecked") // the keys of JSON objects are strings
    private static BoundTool tool(Fields vector, Map<?, ?> injected) {
        if (vector.has("signature")) {
            return ToolRegistry.of(new Signatures()).get(vector.text("signature"));
        }
        ToolBuilder builder = BoundTool.named("vector").schema((Map<String, Object>) vector.json("schema"));
        injected.forEach((name, from) ->
                builder.inject((String) name, new InjectedParameter((String) from, false)));
        return builder.body((arguments, context) -> arguments);
    }

    /** The tools that vectors name by their signature; each returns what it received. */
    static final class Signatures {

        @Tool
        public Map<String, Object> matrix(
                String title,
                @ToolParam(defaultValue = "10") int limit,
                @ToolParam(required = false) String note) {
            return values("title", title, "limit", limit, "note", note);
        }

        @Tool
        public Map<String, Object> texts(
                @ToolParam(required = false) LocalDate day,
                @ToolParam(required = false) UUID id,
                @ToolParam(required = false) BigDecimal amount) {
            return values("day", day, "id", id, "amount", amount);
        }

        @Tool
        public Map<String, Object> numbers(
                @ToolParam(required = false) Byte b,
                @ToolParam(required = false) Short s,
                @ToolParam(required = false) Integer i,
                @ToolParam(required = false) Long l,
                @ToolParam(required = false) Double d,
                @ToolParam(required = false) BigInteger big) {
            return values("b", b, "s", s, "i", i, "l", l, "d", d, "big", big);
        }

        private static Map<String, Object> values(Object... pairs) {
            Map<String, Object> values = new LinkedHashMap<>();
            for (int i = 0; i < pairs.length; i += 2) {
                values.put((String) pairs[i], pairs[i + 1]);
            }
            return values;
        }
    }
}
