// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.cases;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.contract.CallRecord;
import dev.isonomy.contract.Cause;
import dev.isonomy.contract.Converters;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Event;
import dev.isonomy.contract.ExecutionEvent;
import dev.isonomy.contract.Language;
import dev.isonomy.contract.Opaque;
import dev.isonomy.contract.Portable;
import dev.isonomy.contract.Sink;
import dev.isonomy.contract.ToolResponse;
import dev.isonomy.contract.Wire;
import dev.isonomy.observe.MemorySink;
import dev.isonomy.runtime.ToolExecutor;
import dev.isonomy.tools.BoundTool;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** E, J and K: results are exact, marked or refused; what looks at them, or cannot, changes no outcome. */
final class ResultsCasesTest {

    record Point(int x, int y) {}

    static final class Plain {}

    static final class Unwritable {}

    static final class NoText extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NoText(Throwable cause) {
            super(cause);
        }

        @Override
        public String getMessage() {
            throw new IllegalStateException("no text either");
        }
    }

    private static BoundTool gives(Object value) {
        return BoundTool.named("give").body((arguments, context) -> value);
    }

    private static String text(Object value) {
        return new String(Portable.encode(value), StandardCharsets.UTF_8);
    }

    private static ToolResponse give(Running way, ToolExecutor executor) throws Exception {
        return way.run(executor, List.of(Running.call("give", null))).records().get(0).response();
    }

    static Stream<Arguments> table() {
        return Stream.of(
                Arguments.of(
                        Instant.parse("2024-02-29T12:30:00Z"), "{\"$iso:offsetdatetime\":\"2024-02-29T12:30:00Z\"}"),
                Arguments.of(LocalDate.of(2024, 2, 29), "{\"$iso:date\":\"2024-02-29\"}"),
                Arguments.of(Duration.ofMillis(1500), "{\"$iso:duration\":\"1.5\"}"),
                Arguments.of(new UUID(1, 2), "{\"$iso:uuid\":\"00000000-0000-0001-0000-000000000002\"}"),
                Arguments.of(new BigDecimal("0.10"), "{\"$iso:decimal\":\"0.10\"}"),
                Arguments.of(DayOfWeek.MONDAY, "\"MONDAY\""),
                Arguments.of(Set.of(1, 2), "{\"$iso:set\":[1,2]}"),
                Arguments.of(new Point(1, 2), "{\"x\":1,\"y\":2}"),
                Arguments.of(new byte[] {-1, 0, -2}, "{\"$iso:bytes\":\"/wD+\"}"),
                Arguments.of(BigInteger.TWO.pow(63), "9223372036854775808"),
                Arguments.of(Double.NaN, "{\"$iso:float\":\"NaN\"}"));
    }

    @ParameterizedTest
    @MethodSource("table")
    void j1CommonTypesHaveAForm(Object value, String form) throws Exception {
        for (boolean strict : new boolean[] {false, true}) {
            try (ToolExecutor executor =
                    ToolExecutor.builder().tools(gives(value)).strictValues(strict).build()) {
                for (Running way : Running.ways().toList()) {
                    Object result = give(way, executor).unwrap();
                    assertSame(value, result);
                    assertEquals(form, text(result));
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isonomy.cases.Running#ways")
    void j2WhatHasNoFormIsMarkedAndNeverPrinted(Running way) throws Exception {
        Plain plain = new Plain();
        BoundTool tool = gives(Map.of("a", List.of(plain)));
        try (ToolExecutor executor = ToolExecutor.of(tool)) {
            Object result = give(way, executor).unwrap();
            assertSame(plain, ((List<?>) ((Map<?, ?>) result).get("a")).get(0));
            assertEquals(
                    Map.of("a", List.of(new Opaque(Plain.class.getName(), "$.a[0]"))),
                    Portable.decode(Portable.encode(result)));
            assertFalse(text(result).contains("@"));
        }
        try (ToolExecutor executor =
                ToolExecutor.builder().tools(tool).strictValues(true).build()) {
            ToolResponse refused = give(way, executor);
            assertEquals(ErrorKind.RESULT_CONVERSION, refused.error().kind());
            assertTrue(refused.error().message().contains("$.a[0]"));
            assertTrue(refused.error().message().contains("Plain"));
            assertFalse(refused.error().message().contains("@"));
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isonomy.cases.Running#ways")
    void j4ALoneSurrogateBreaksNothing(Running way) throws Exception {
        MemorySink memory = new MemorySink();
        try (ToolExecutor executor =
                ToolExecutor.builder().tools(gives("a\uD800b")).sink(memory).build()) {
            for (int i = 0; i < 2; i++) {
                Object result = give(way, executor).unwrap();
                assertEquals("a\uD800b", Portable.decode(Portable.encode(result)));
            }
        }
        assertEquals(2, memory.responses().size());
        for (Event event : memory.responses()) {
            String written = new String(Wire.encode(event), StandardCharsets.UTF_8);
            assertFalse(written.contains("\uFFFD"), written);
            assertFalse(written.contains("a?b"), written);
        }
    }

    @Test
    void j5KeysAreKeptApart() throws Exception {
        Map<Object, Object> both = new LinkedHashMap<>();
        both.put(1, "a");
        both.put("1", "b");
        Map<Object, Object> none = new HashMap<>();
        none.put(null, 1);
        Map<Object, String> forms = new LinkedHashMap<>();
        forms.put(Map.of(10, 12), "{\"$iso:map\":[[10,12]]}");
        forms.put(Map.of(List.of(1, 2), 3), "{\"$iso:map\":[[[1,2],3]]}");
        forms.put(both, "{\"$iso:map\":[[1,\"a\"],[\"1\",\"b\"]]}");
        forms.put(none, "{\"$iso:map\":[[null,1]]}");
        for (Map.Entry<Object, String> each : forms.entrySet()) {
            try (ToolExecutor executor =
                    ToolExecutor.builder().tools(gives(each.getKey())).strictValues(true).build()) {
                Object result = executor.call("give", Map.of()).unwrap();
                assertEquals(each.getValue(), text(result));
                assertEquals(each.getValue(), text(Portable.decode(Portable.encode(result))));
            }
        }
        // Two keys that would become one are not written over each other.
        Map<Object, Object> merging = new HashMap<>();
        merging.put(1, "int");
        merging.put(1L, "long");
        try (ToolExecutor executor = ToolExecutor.of(gives(merging))) {
            assertEquals(
                    new Opaque("java.util.HashMap", "$"),
                    Portable.decode(Portable.encode(executor.call("give", Map.of()).unwrap())));
        }
    }

    @Test
    void j7BytesStayBytes() throws Exception {
        byte[] png = {(byte) 0x89, 'P', 'N', 'G', 13, 10, 26, 10};
        for (byte[] value : List.of(new byte[] {-1, 0, -2}, png, new byte[0])) {
            try (ToolExecutor executor = ToolExecutor.of(gives(Map.of("raw", value)))) {
                Map<?, ?> read = (Map<?, ?>) Portable.decode(Portable.encode(executor.call("give", Map.of()).unwrap()));
                assertArrayEquals(value, (byte[]) read.get("raw"));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isonomy.cases.Running#ways")
    void j8LookingAtACallChangesNoOutcome(Running way) throws Exception {
        Object value = Map.of(List.of("a\u0000"), 1);
        for (boolean direct : new boolean[] {false, true}) {
            Sink throwing = new Sink() {
                @Override
                public void emit(Event event) {
                    throw new IllegalStateException("the listener's own fault");
                }

                @Override
                public boolean direct() {
                    return direct;
                }
            };
            MemorySink memory = new MemorySink();
            try (ToolExecutor executor =
                    ToolExecutor.builder().tools(gives(value)).sink(throwing).sink(memory).strictValues(true).build()) {
                assertSame(value, give(way, executor).unwrap());
            }
            assertEquals(
                    List.of(ExecutionEvent.Type.STARTED, ExecutionEvent.Type.FINISHED),
                    memory.executions().stream().map(ExecutionEvent::type).toList());
            assertEquals(1, memory.responses().size());
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isonomy.cases.Running#ways")
    void e8AnEncoderThatThrowsIsToldAtOnce(Running way) throws Exception {
        Converters.register(Unwritable.class, value -> {
            throw new IllegalStateException("cannot convert");
        });
        Map<String, Object> odd = Map.of("fine", 1, "odd", new Unwritable());
        Opaque marker = new Opaque(Unwritable.class.getName(), "$.odd");
        BoundTool value = BoundTool.named("value").body((arguments, context) -> odd);
        BoundTool declares = BoundTool.named("declares")
                .body((arguments, context) -> ToolResponse.failure("declared").details(odd).build());
        BoundTool fails = BoundTool.named("fails").body((arguments, context) -> {
            throw new NoText(new IllegalArgumentException("the cause"));
        });
        try {
            for (boolean strict : new boolean[] {false, true}) {
                try (ToolExecutor executor =
                        ToolExecutor.builder().tools(value, declares, fails).strictValues(strict).build()) {
                    List<CallRecord> records = way.run(executor, List.of(
                            Running.call("value", null), Running.call("declares", null),
                            Running.call("fails", null))).records();
                    ToolResponse returned = records.get(0).response();
                    if (strict) {
                        assertEquals(ErrorKind.RESULT_CONVERSION, returned.error().kind());
                        assertTrue(returned.error().message().contains("$.odd"));
                    } else {
                        assertEquals(
                                Map.of("fine", 1L, "odd", marker),
                                Portable.decode(Portable.encode(returned.unwrap())));
                    }
                    // The failure record is never replaced by a complaint about it.
                    ToolResponse declared = records.get(1).response();
                    assertEquals(ErrorKind.TOOL_ERROR, declared.error().kind());
                    assertEquals("declared", declared.error().message());
                    Map<?, ?> details = (Map<?, ?>) Wire.decodeResponse(Wire.encode(declared)).error().details();
                    assertEquals(1L, details.get("fine"));
                    assertEquals(Unwritable.class.getName(), ((Opaque) details.get("odd")).type());
                    // An exception without a text is a minimal failure that keeps its cause.
                    ToolResponse thrown = records.get(2).response();
                    assertEquals(ErrorKind.EXCEPTION, thrown.error().kind());
                    assertEquals(NoText.class.getName(), thrown.error().type());
                    assertFalse(thrown.error().message().isBlank());
                    assertEquals(
                            List.of(new Cause("java.lang.IllegalArgumentException", "the cause", Language.JAVA)),
                            thrown.error().causes());
                }
            }
        } finally {
            Converters.unregister(Unwritable.class);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isonomy.cases.Running#ways")
    void k7AMessageIsNeverEmptyAndNeverLong(Running way) throws Exception {
        List<String> given = Arrays.asList(null, "", " \n\t", "404", "x".repeat(1 << 20));
        String type = "java.lang.IllegalStateException";
        List<String> expected = List.of(type, type, type, "404", "x".repeat(8191) + "…");
        BoundTool bad = BoundTool.named("bad").body((arguments, context) -> {
            throw new IllegalStateException(given.get(((Long) arguments.get("n")).intValue()));
        });
        MemorySink memory = new MemorySink();
        try (ToolExecutor executor = ToolExecutor.builder().tools(bad).sink(memory).build()) {
            for (int n = 0; n < given.size(); n++) {
                ToolResponse response =
                        way.run(executor, List.of(Running.call("bad", Map.of("n", n)))).records().get(0).response();
                assertEquals(type, response.error().type());
                assertEquals(expected.get(n), response.error().message());
            }
        }
        memory.events().forEach(each -> assertTrue(Wire.encode(each).length < 100_000));
    }
}
