// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.cases;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.isonomy.contract.CallRecord;
import dev.isonomy.contract.Effect;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.ToolResponse;
import dev.isonomy.observe.MemorySink;
import dev.isonomy.runtime.ToolExecutor;
import dev.isonomy.tools.BoundTool;
import dev.isonomy.tools.Injected;
import dev.isonomy.tools.Tool;
import dev.isonomy.tools.ToolParam;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** I and L: arguments are taken exactly or refused with their place; what the host injects is the host's. */
final class ArgumentsCasesTest {

    private static final Object ABSENT = new Object();
    private static final Object REFUSED = new Object();

    public static final class Tools {
        @Tool
        public static Object takes(
                int required,
                @ToolParam(defaultValue = "7") int preset,
                @ToolParam(defaultValue = "7") Integer boxed,
                Optional<Integer> optional,
                @ToolParam(required = false) Integer nullable) {
            return Arrays.asList(required, preset, boxed, optional.orElse(null), nullable);
        }

        @Tool
        public static String look(String query, @Injected(name = "tenant_id") String tenant_id) {
            return query + " of " + tenant_id;
        }

        @Tool
        public static Object find(Map<String, String> query, @Injected(name = "tenant_id") String tenant_id) {
            return List.of(query, tenant_id);
        }
    }

    private static final List<String> PLACES = List.of("required", "preset", "boxed", "optional", "nullable");

    /** What the body receives; what both languages share of it is a vector, {@code arguments/matrix-*}. */
    static Stream<Arguments> matrix() {
        return Stream.of(
                Arguments.of("required", ABSENT, REFUSED),
                Arguments.of("required", null, REFUSED),
                Arguments.of("required", 5, 5),
                Arguments.of("preset", ABSENT, 7),
                Arguments.of("preset", null, 7),
                Arguments.of("preset", 5, 5),
                Arguments.of("boxed", ABSENT, 7),
                Arguments.of("boxed", null, 7),
                Arguments.of("boxed", 5, 5),
                Arguments.of("optional", ABSENT, null),
                Arguments.of("optional", null, null),
                Arguments.of("optional", 5, 5),
                Arguments.of("nullable", ABSENT, null),
                Arguments.of("nullable", null, null),
                Arguments.of("nullable", 5, 5));
    }

    @ParameterizedTest
    @MethodSource("matrix")
    void i4AbsentNullAndValue(String name, Object given, Object expected) throws InterruptedException {
        Map<String, Object> arguments = new HashMap<>();
        arguments.put("required", 1);
        arguments.put(name, given);
        if (given == ABSENT) {
            arguments.remove(name);
        }
        try (ToolExecutor executor = ToolExecutor.builder().tools(Tools.class).inject("tenant_id", "t1").build()) {
            ToolResponse response = executor.call("takes", arguments);
            if (expected == REFUSED) {
                assertEquals(ErrorKind.INVALID_ARGUMENTS, response.error().kind());
                assertEquals(Effect.NONE, response.error().effect());
                String rule = given == ABSENT ? "required" : "expected integer";
                assertEquals(name + ": " + rule, response.error().message());
            } else {
                assertEquals(expected, ((List<?>) response.unwrap()).get(PLACES.indexOf(name)));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isonomy.cases.Running#ways")
    void i5BrokenTextRunsNoBodyAndItsSiblingsRun(Running way) throws Exception {
        List<Object> ran = Collections.synchronizedList(new ArrayList<>());
        BoundTool work = BoundTool.named("work").body((arguments, context) -> {
            ran.add(arguments.get("a"));
            return arguments.get("a");
        });
        try (ToolExecutor executor = ToolExecutor.of(work)) {
            List<CallRecord> records = way.run(executor, List.of(
                    Running.call("work", "{\"a\": 1}"),
                    Running.call("work", "{\"a\": \""),
                    Running.call("work", Map.of("a", 3)))).records();
            assertEquals(1L, records.get(0).response().unwrap());
            assertEquals(ErrorKind.INVALID_ARGUMENTS, records.get(1).response().error().kind());
            assertEquals(3L, records.get(2).response().unwrap());
        }
        assertEquals(2, ran.size());
    }

    static Stream<Arguments> spellings() {
        return Stream.of("tenant_id", "Tenant_Id", "tenantId", "TENANT_ID").flatMap(name -> Stream.of(
                Arguments.of(name, Map.of("query", "q", name, "evil")),
                Arguments.of(name, "{\"query\":\"q\",\"" + name + "\":\"evil\"}")));
    }

    @ParameterizedTest
    @MethodSource("spellings")
    void l1AModelCannotSetWhatTheHostInjects(String name, Object arguments) throws Exception {
        for (Running way : Running.ways().toList()) {
            MemorySink memory = new MemorySink();
            try (ToolExecutor executor = ToolExecutor.builder()
                    .tools(Tools.class).inject("tenant_id", "t1-value").sink(memory).build()) {
                ToolResponse response =
                        way.run(executor, List.of(Running.call("look", arguments))).records().get(0).response();
                assertEquals(ErrorKind.INVALID_ARGUMENTS, response.error().kind());
                assertEquals(Effect.NONE, response.error().effect());
                assertEquals(name + ": is set by the host", response.error().message());
            }
            assertFalse(Running.told(memory).contains("evil"));
            assertFalse(Running.told(memory).contains("t1-value"));
        }
    }

    @Test
    void l1NestedDataOfThatNameIsData() throws InterruptedException {
        try (ToolExecutor executor = ToolExecutor.builder().tools(Tools.class).inject("tenant_id", "t1").build()) {
            assertEquals("q of t1", executor.call("look", Map.of("query", "q")).unwrap());
            assertEquals(
                    List.of(Map.of("tenant_id", "evil"), "t1"),
                    executor.call("find", Map.of("query", Map.of("tenant_id", "evil"))).unwrap());
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isonomy.cases.Running#ways")
    void l4ArgumentsAreInNoEvent(Running way) throws Exception {
        Map<String, Object> integer =
                Map.of("type", "object", "properties", Map.of("password", Map.of("type", "integer")));
        MemorySink memory = new MemorySink();
        BoundTool returns = BoundTool.named("returns").body((arguments, context) -> 7);
        BoundTool fails = BoundTool.named("fails").body((arguments, context) -> {
            throw new IllegalStateException("no login");
        });
        BoundTool refuses = BoundTool.named("refuses").schema(integer).body((arguments, context) -> 7);
        try (ToolExecutor executor = ToolExecutor.builder().tools(returns, fails, refuses).sink(memory).build()) {
            for (String tool : List.of("returns", "fails", "refuses", "unknown")) {
                way.run(executor, List.of(
                        Running.call(tool, Map.of("password", "hunter2")),
                        Running.call(tool, "{\"password\":\"hunter2\"}")));
            }
        }
        assertEquals(4, memory.responses().size());
        assertFalse(Running.told(memory).contains("hunter2"));
    }
}
