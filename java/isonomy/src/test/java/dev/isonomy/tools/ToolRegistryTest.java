// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.contract.Effect;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.Outcome;
import dev.isonomy.contract.Settled;
import dev.isonomy.contract.ToolError;
import dev.isonomy.runtime.ToolExecutor;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Where tools come from. */
final class ToolRegistryTest {

    public interface Greeter {
        @Tool(description = "Greets.")
        String greet(@ToolParam(name = "who") String name);
    }

    static class Base implements Greeter {
        private final String word;

        Base(String word) {
            this.word = word;
        }

        @Override
        public String greet(String name) {
            return word + " " + name;
        }

        @Tool
        public int overridden(int n) {
            return n;
        }
    }

    static final class Derived extends Base {
        Derived() {
            super("hello");
        }

        @Override
        public int overridden(int n) {
            return -n;
        }
    }

    static final class Upper implements CallableTool {
        @Override
        public String name() {
            return "upper";
        }

        @Override
        public Map<String, ?> inputSchema() {
            return Map.of(
                    "type", "object",
                    "properties", Map.of("text", Map.of("type", "string", "default", "none")),
                    "additionalProperties", false);
        }

        @Override
        public Object call(Map<String, Object> arguments, ToolContext context) {
            arguments.put("seen", true);
            return arguments;
        }
    }

    private static String refused(Executable giving) {
        return assertThrows(Misuse.class, giving).getMessage();
    }

    @Test
    void whatIsNoToolIsToldWithARemedy() {
        String nothing = "a source of tools is null; give a class, an object with @Tool methods or a tool";
        assertEquals(nothing, refused(() -> ToolRegistry.of((Object[]) null)));
        assertEquals(nothing, refused(() -> ToolRegistry.of(new Upper(), null)));
        assertEquals(nothing, refused(() -> ToolRegistry.of(Arrays.asList(new Upper(), null))));
        assertEquals(nothing, refused(() -> ToolExecutor.of((Object[]) null)));
        assertEquals(nothing, refused(() -> ToolExecutor.of(new Upper(), null)));
        assertEquals(
                "the text \"Upper\" is no tool; give the class itself, or use ToolRegistry.named(loader, names)",
                refused(() -> ToolRegistry.of("Upper")));
    }

    @Test
    void aNestedClassWrittenWithADotIsNamed() {
        ClassLoader loader = getClass().getClassLoader();
        String outer = getClass().getName();
        String said = refused(() -> ToolRegistry.named(loader, List.of(outer + ".Upper")));
        assertTrue(said.endsWith("a nested class is named with $: did you mean \"" + outer + "$Upper\"?"), said);
        String deeper = refused(() -> ToolRegistry.named(loader, List.of("java.util.Map.Entry#getKey")));
        assertTrue(deeper.endsWith("did you mean \"java.util.Map$Entry\"?"), deeper);
        String gone = refused(() -> ToolRegistry.named(loader, List.of("com.example.Gone")));
        assertTrue(gone.endsWith("check its name and the class path"), gone);
    }

    @Test
    void namesInTheOrderTheyWereGiven() {
        ToolRegistry tools = ToolRegistry.of(
                new Upper(), BoundTool.named("lambda").body((arguments, context) -> 1), List.of(new Derived()));
        assertEquals(
                List.of("upper", "lambda", "greet", "overridden"),
                tools.all().stream().map(tool -> tool.spec().name()).toList());
        assertNull(tools.get("gone"));
        assertEquals(List.of("upper", "lambda", "greet", "overridden"),
                ToolRegistry.of(tools).all().stream().map(tool -> tool.spec().name()).toList());
    }

    @Test
    void annotationsAreFoundOnWhatIsOverridden() {
        BoundTool greet = Invoking.tool(new Derived(), "greet");
        assertEquals("Greets.", greet.spec().description());
        assertEquals("hello you", Invoking.value(greet, Map.of("who", "you")));
        assertEquals(-3, Invoking.value(Invoking.tool(new Derived(), "overridden"), Map.of("n", 3)));
    }

    @Test
    void aProxyIsWhatItsInterfaceSays() {
        Object proxy = Proxy.newProxyInstance(
                Greeter.class.getClassLoader(), new Class<?>[] {Greeter.class}, (self, method, values) -> "proxied " + values[0]);
        assertEquals("proxied you", Invoking.value(Invoking.tool(proxy, "greet"), Map.of("who", "you")));
    }

    @Test
    void theBodyOfAGivenToolOwnsItsArguments() {
        Map<String, Object> sent = Map.of("text", "a");
        assertEquals(Map.of("text", "a", "seen", true), Invoking.value(Invoking.tool(new Upper(), "upper"), sent));
        assertEquals(Map.of("text", "none", "seen", true), Invoking.value(Invoking.tool(new Upper(), "upper"), null));
        assertEquals(Map.of("text", "a"), sent);
    }

    static final class Private {
        @Tool
        int hidden() {
            return 0;
        }
    }

    static final class Untouched {}

    @Test
    void whatIsNoSourceOfToolsIsMisuse() {
        BoundTool one = BoundTool.named("one").body((arguments, context) -> 1);
        assertEquals(
                "two tools are named \"one\"; give one of them another name",
                assertThrows(Misuse.class, () -> ToolRegistry.of(one, one)).getMessage());
        assertMisuse("is not public", new Private());
        assertMisuse("has no public method marked @Tool", new Untouched());
        assertMisuse("is null", (Object) null);
        assertMisuse("public constructor without parameters", Base.class);
    }

    private static void assertMisuse(String part, Object source) {
        Misuse misuse = assertThrows(Misuse.class, () -> ToolRegistry.of(new Object[] {source}));
        assertTrue(misuse.getMessage().contains(part), misuse.getMessage());
    }

    @Test
    void aGivenSchemaMustBeOne() {
        assertSchema("the type is not a type", Map.of("type", "objekt"));
        assertSchema("cannot be used", Map.of("properties", Map.of("a", Map.of("$ref", "#/$defs/gone"))));
        assertSchema("cannot be used", Map.of("properties", Map.of("a", Map.of("$ref", "https://example.org/x.json"))));
        assertSchema("not plain JSON", Map.of("enum", Arrays.asList(1, new Object())));
        assertSchema("has no input schema", null);
        assertThrows(Misuse.class, () -> BoundTool.named(" ").body((arguments, context) -> 1));
        assertThrows(Misuse.class, () -> BoundTool.named("a").maxParallel(-1).body((arguments, context) -> 1));
    }

    private static void assertSchema(String part, Map<String, ?> schema) {
        Misuse misuse = assertThrows(
                Misuse.class, () -> BoundTool.named("tool").schema(schema).body((arguments, context) -> 1));
        assertTrue(misuse.getMessage().contains(part) && misuse.getMessage().contains("\"tool\""), misuse.getMessage());
    }

    /** What breaks before the body is no end of the body, the stack included (clause 7.16). */
    @Test
    void whatBreaksBeforeTheBodyHasNoEffect() {
        List<Object> ran = new ArrayList<>();
        BoundTool tool = BoundTool.named("tool").body((arguments, context) -> ran.add(arguments));
        Map<String, Object> lying = new HashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            public Set<Map.Entry<String, Object>> entrySet() {
                throw new StackOverflowError();
            }
        };
        Outcome outcome = tool.invoke(new Invocation(lying, Map.of(), new NoContext(), Boundary.NOTHING_PASSES));
        ToolError error = ((Settled) outcome).error();
        assertEquals(ErrorKind.INTERNAL, error.kind());
        assertEquals(Effect.NONE, error.effect());
        assertEquals("the arguments could not be judged: java.lang.StackOverflowError", error.message());
        assertTrue(ran.isEmpty());
    }

    /** Whatever a schema says of itself, it is read as 2020-12 (clause 7.3). */
    @Test
    void theDialectIsFixed() {
        BoundTool old = BoundTool.named("old")
                .schema(Map.of(
                        "$schema", "http://json-schema.org/draft-07/schema#",
                        "properties", Map.of("p", Map.of("prefixItems", List.of(Map.of("type", "string"))))))
                .body((arguments, context) -> 1);
        assertEquals("p[0]: expected string", Invoking.refused(old, "{\"p\":[1]}").message());
    }
}
