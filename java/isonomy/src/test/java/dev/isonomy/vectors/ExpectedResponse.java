// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.vectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.contract.ToolResponse;
import dev.isonomy.contract.Wire;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Compares responses, in their wire form, with what vectors expect. */
public final class ExpectedResponse {
    private ExpectedResponse() {}

    /** Fails where the response is not the expected one. */
    public static void check(Fields expected, ToolResponse response) {
        Map<?, ?> wire = (Map<?, ?>) Vectors.json(Wire.encode(response));
        assertEquals(expected.text("status"), wire.get("status"), () -> "status of " + wire);
        if (response.isSuccess()) {
            String result = expected.has("result_text")
                    ? expected.text("result_text")
                    : Vectors.text(expected.json("result"));
            SameJson.check(result, Vectors.text(wire.get("result")), "result");
        } else {
            checkError(expected.object("error"), (Map<?, ?>) wire.get("error"));
        }
        SameJson.check(
                Vectors.text(expected.json("content", List.of())),
                Vectors.text(wire.containsKey("content") ? wire.get("content") : List.of()),
                "content");
        SameJson.check(
                Vectors.text(expected.json("meta", Map.of())),
                Vectors.text(wire.containsKey("meta") ? wire.get("meta") : Map.of()),
                "meta");
    }

    /** Compares the fields of an error that are named. */
    public static void checkError(Fields expected, Map<?, ?> wire) {
        for (String name : expected.names()) {
            switch (name) {
                case "trace_has" -> ((List<?>) Fields.forJava(expected.json(name))).forEach(part ->
                        assertTrue(((String) wire.get("trace")).contains((String) part), () -> wire.get("trace").toString()));
                case "trace_length" -> assertEquals(
                        expected.integer(name), ((String) wire.get("trace")).codePoints().count());
                case "causes" -> SameJson.check(
                        Vectors.text(causes((List<?>) expected.json(name))), Vectors.text(absent(wire, name, List.of())), name);
                case "members" -> SameJson.check(
                        Vectors.text(expected.list(name)), Vectors.text(absent(wire, name, List.of())), name);
                case "more" -> assertEquals(expected.integer(name), absent(wire, name, 0));
                case "details" -> checkField(name, Making.value(deepForJava(expected.json(name))), wire);
                default -> checkField(name, Making.value(expected.forJava(name)), wire);
            }
        }
    }

    private static void checkField(String name, Object expected, Map<?, ?> wire) {
        if (expected == null) {
            assertFalse(wire.containsKey(name), () -> name + " is set: " + wire.get(name));
        } else {
            assertTrue(wire.containsKey(name), () -> name + " is not set");
            SameJson.check(Vectors.text(expected), Vectors.text(wire.get(name)), name);
        }
    }

    /** Details, in which an inner error may differ by language. */
    private static Object deepForJava(Object json) {
        Object value = Fields.forJava(json);
        if (value instanceof Map<?, ?> map) {
            Map<Object, Object> members = new LinkedHashMap<>();
            map.forEach((key, member) -> members.put(key, deepForJava(member)));
            return members;
        }
        return value instanceof List<?> items ? items.stream().map(ExpectedResponse::deepForJava).toList() : value;
    }

    private static Object absent(Map<?, ?> wire, String name, Object value) {
        return wire.containsKey(name) ? wire.get(name) : value;
    }

    private static List<Object> causes(List<?> causes) {
        List<Object> forJava = new ArrayList<>();
        if (causes == null) { // as all that is not there
            return forJava;
        }
        for (Object cause : causes) {
            Map<Object, Object> fields = new LinkedHashMap<>();
            ((Map<?, ?>) cause).forEach((name, value) -> fields.put(name, Fields.forJava(value)));
            forJava.add(fields);
        }
        return forJava;
    }
}
