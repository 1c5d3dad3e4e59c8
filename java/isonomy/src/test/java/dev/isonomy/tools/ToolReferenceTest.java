// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.bridge.Compiled;
import dev.isonomy.contract.ErrorInfo;
import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.Raised;
import dev.isonomy.contract.Returned;
import java.math.BigDecimal;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Public methods of any library as tools, named by text. */
final class ToolReferenceTest {

    private static final String HERE = ToolReferenceTest.class.getName() + "$";

    private static ToolRegistry referenced(ToolReference... references) {
        return ToolRegistry.referenced(ToolReferenceTest.class.getClassLoader(), List.of(references));
    }

    private static BoundTool tool(String target) {
        return referenced(ToolReference.to(target)).all().iterator().next();
    }

    private static Object value(String target, Map<String, ?> arguments) {
        return Invoking.value(tool(target), arguments);
    }

    private static String misuse(ToolReference... references) {
        return assertThrows(Misuse.class, () -> referenced(references)).getMessage();
    }

    private static String misuse(String target) {
        return misuse(ToolReference.to(target));
    }

    private static Set<?> parameters(BoundTool tool) {
        return ((Map<?, ?>) tool.spec().inputSchema().get("properties")).keySet();
    }

    // Methods of the JDK ------------------------------------------------------------------------------------------

    @Test
    void aMethodOfTheJdk() {
        BoundTool parse = tool("java.time.LocalDate#parse(CharSequence)");
        assertEquals("LocalDate_parse", parse.spec().name());
        assertEquals("", parse.spec().description());
        assertEquals(
                Map.of(
                        "type", "object",
                        "properties", Map.of("text", Map.of("type", "string")),
                        "required", List.of("text"),
                        "additionalProperties", false),
                parse.spec().inputSchema());
        assertEquals(LocalDate.of(2024, 2, 29), Invoking.value(parse, Map.of("text", "2024-02-29")));
        assertEquals("text: expected string", Invoking.refused(parse, Map.of("text", 1)).message());
        ErrorInfo error = assertInstanceOf(Raised.class, Invoking.outcome(parse, Map.of("text", "x"), Map.of())).error();
        assertEquals(DateTimeParseException.class.getName(), error.type());
        assertEquals("Text 'x' could not be parsed at index 0", error.message());
    }

    @Test
    void whatIsSaidOfAMethodHolds() {
        ToolRegistry tools = referenced(
                ToolReference.to("java.time.LocalDate#parse(CharSequence)").named("day").described("A day.")
                        .withParameters("iso_date"),
                ToolReference.to("java.time.LocalTime#parse(CharSequence)"));
        BoundTool day = tools.get("day");
        assertEquals("A day.", day.spec().description());
        assertEquals(LocalDate.of(2024, 1, 2), Invoking.value(day, Map.of("iso_date", "2024-01-02")));
        assertEquals("iso_date: required; text: unknown argument",
                Invoking.refused(day, Map.of("text", "2024-01-02")).message());
        assertEquals(List.of("day", "LocalTime_parse"), tools.all().stream().map(one -> one.spec().name()).toList());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "java.lang.Math#abs(int)|{\"a\":-3}|3",
        "java.lang.Math#abs( long )|{\"a\":-3000000000}|3000000000",
        "java.lang.Math#floorMod(long,int)|{\"x\":-7,\"y\":3}|2",
        "java.lang.Integer#parseInt(java.lang.String,int)|{\"s\":\"ff\",\"radix\":16}|255",
        "java.lang.String#valueOf(Object)|{\"obj\":[1,{\"a\":null}]}|[1, {a=null}]",
        "java.lang.String#format(String,Object...)|{\"format\":\"%s-%d\",\"args\":[\"a\",7]}|a-7",
        "java.lang.String#format(String,Object[])|{\"format\":\"x\",\"args\":[]}|x",
        "java.lang.String#join(CharSequence,CharSequence ...)|{\"delimiter\":\"-\",\"elements\":[\"a\",\"b\"]}|a-b",
        "java.lang.String#join(CharSequence,Iterable<? extends CharSequence>)|{\"delimiter\":\"+\",\"elements\":[\"a\"]}|a",
        "java.util.List#of(E...)|{\"elements\":[1,\"a\"]}|[1, a]",
        "java.util.List#of()|{}|[]",
        "java.util.List#copyOf|{\"coll\":[3]}|[3]",
        "java.util.Collections#max(Collection)|{\"coll\":[3,9,4]}|9",
        "java.util.Collections#frequency|{\"c\":[3,9,3],\"o\":3}|2",
        "java.util.Objects#requireNonNullElse(T,T)|{\"obj\":null,\"defaultObj\":\"d\"}|d",
        "java.util.UUID#nameUUIDFromBytes(byte[])|{\"name\":\"YQ==\"}|0cc175b9-c0f1-36a8-b1c3-99e269772661",
        "java.util.Arrays#toString(int[])|{\"a\":[1,2]}|[1, 2]",
        "java.time.DayOfWeek#valueOf(String)|{\"name\":\"MONDAY\"}|MONDAY",
        "java.time.DayOfWeek#of|{\"dayOfWeek\":2}|TUESDAY",
        "java.math.BigDecimal#valueOf(long,int)|{\"unscaledVal\":125,\"scale\":2}|1.25",
    })
    void manyMethodsOfTheJdk(String target, String arguments, String shown) {
        Object outcome = Invoking.outcome(tool(target), arguments, Map.of());
        assertEquals(shown, String.valueOf(assertInstanceOf(Returned.class, outcome).value()));
    }

    @Test
    void voidReturnsNull() {
        assertNull(value("java.lang.Thread#onSpinWait", Map.of()));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "java.time.LocalDate#parse(CharSequence,DateTimeFormatter)|parameter formatter of java.time.LocalDate.parse has the"
                + " type java.time.format.DateTimeFormatter, which has no JSON form",
        "java.util.Collections#max(Collection,Comparator)|parameter comp of java.util.Collections.max has the type"
                + " java.util.Comparator<java.lang.Object>, which has no JSON form",
        "java.time.LocalDate#plusDays(long)|public constructor without parameters",
        "java.util.List#size()|public constructor without parameters",
        "java.util.AbstractList#size()|cannot be made for its tools",
        "java.time.LocalDate#parse|several public methods named parse: parse(CharSequence),"
                + " parse(CharSequence,DateTimeFormatter); name one with its types, as"
                + " java.time.LocalDate#parse(CharSequence)",
        "java.time.LocalDate#parse(String)|not exactly one public method parse(String); there are: parse(CharSequence),"
                + " parse(CharSequence,DateTimeFormatter)",
        "java.time.LocalDate#parse(int,int)|there are: parse(CharSequence)",
        "java.time.LocalDate#gone()|has no public method named gone",
        "java.time.LocalDate#create(int,int,int)|no public method named create; the one it has is not public",
        "java.lang.Math#floormood(long,long)|has no public method named floormood; did you mean \"floorMod\"?",
        "java.time.Gone#parse|cannot be loaded",
        "java.time.Gone|check its name and the class path",
        "java.lang.Math|mark one, or name one method, as java.lang.Math#IEEEremainder(double,double)",
        "java.lang.Math.abs(int)|a method is written CLASS#METHOD or CLASS#METHOD(TYPE,TYPE): did you mean"
                + " \"java.lang.Math#abs(int)\"?",
        "java.lang.Math.abs|did you mean \"java.lang.Math#abs\"?",
        "java/lang/Math.abs(java.lang.String)|did you mean \"java.lang.Math#abs(java.lang.String)\"?",
        "java/lang/Math|a class is named, not its file: did you mean \"java.lang.Math\"?",
        "java/lang/Math.class|did you mean \"java.lang.Math\"?",
        "java.lang.Math.java|did you mean \"java.lang.Math\"?",
        "Math.java|did you mean \"Math\"?",
        "java/lang/Math#abs(int)|did you mean \"java.lang.Math\"?",
        "java.util.Map.Entry|did you mean \"java.util.Map$Entry\"?",
        "java.util.Map.Entry#comparingByKey()|cannot be loaded",
        "java.time.Duration#between|parameter startInclusive of java.time.Duration.between has the type"
                + " java.time.temporal.Temporal, which has no JSON form",
        "java.util.Collections$EmptyList#size()|public constructor without parameters",
        "java.util.JumboEnumSet#size()|cannot be made",
    })
    void whatCannotBeCalledIsMisuse(String target, String part) {
        String message = misuse(target);
        assertTrue(message.contains(part), message);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "java.time.LocalDate#", "java.time.LocalDate#parse(", "java.time.LocalDate#parse(CharSequence",
        "java.time.LocalDate#parse(,)", "java.time.LocalDate#parse(CharSequence text)", "java.time.LocalDate#parse)",
        "java.time.LocalDate#parse(List<String)", "java.time.LocalDate#a b(int)", "java.time.LocalDate#parse(int[)",
        "#parse", " #parse(int)", "java.time.LocalDate#parse#x",
    })
    void whatIsNoMethodIsMisuse(String target) {
        String message = misuse(target);
        assertTrue(message.contains("names no method; write CLASS#METHOD or CLASS#METHOD(TYPE,TYPE)"), message);
    }

    @Test
    void whatIsSaidMustFit() {
        String day = "java.time.LocalDate#of(int,int,int)";
        assertEquals(
                "the model gives 3 parameters of java.time.LocalDate.of, in the order of of(int,int,int), and 2 names are"
                        + " given: [year, month]",
                misuse(ToolReference.to(day).withParameters("year", "month")));
        assertTrue(misuse(ToolReference.to(day).withParameters("a", "b", "c", "d")).contains("4 names"));
        assertTrue(misuse(ToolReference.to(day).withParameters("a", "b", "a")).contains("has the name of another parameter"));
        assertTrue(misuse(ToolReference.to(day).withParameters("a", " ", "c")).contains("a blank name"));
        assertTrue(misuse(ToolReference.to(day).named(" ")).contains("not blank"));
        assertEquals(
                "two tools are named \"Integer_parseInt\"; give one of them another name, as \"name\" beside the method",
                misuse(
                        ToolReference.to("java.lang.Integer#parseInt(String)"),
                        ToolReference.to("java.lang.Integer#parseInt(String,int)")));
        String message =
                assertThrows(Misuse.class, () -> ToolReference.to("java.time.LocalDate").named("x")).getMessage();
        assertTrue(message.contains("give them for one method"), message);
        assertTrue(assertThrows(Misuse.class, () -> ToolReference.to(" ")).getMessage().contains("a class or a method"));
    }

    // Methods of an application -------------------------------------------------------------------------------------

    public interface Named {
        default String hello(String who) {
            return "hello " + who;
        }

        static String shout(String what) {
            return what + "!";
        }
    }

    public static class Box<T> {
        private final List<T> held = new ArrayList<>();

        public List<T> put(T item) {
            held.add(item);
            return held;
        }

        public List<T> putAll(Collection<? extends T> items) {
            held.addAll(items);
            return held;
        }
    }

    public static class Days extends Box<LocalDate> implements Named {}

    public static class Several {
        public record Line(String sku, int pieces) {}

        public enum Size { SMALL, LARGE }

        public static String all(
                int i, Long l, double d, boolean b, char c, BigDecimal amount, UUID id, Optional<Instant> at,
                Line line, List<Line> lines, Map<String, Size> sizes, Duration length, Number n, CharSequence text) {
            return String.join("|", List.of(i, l, d, b, c, amount, id, at.isPresent(), line, lines, sizes, length, n, text)
                    .stream().map(String::valueOf).toList());
        }

        public static String when(Date day) {
            return "util";
        }

        public static String when(java.sql.Date day) {
            return "sql";
        }

        public static String with(Function<String, String> function) {
            return function.apply("");
        }

        public static String sorted(Comparator<String> order) {
            return "";
        }

        public static String pick(String... names) {
            return "varargs " + names.length;
        }

        public static String pick(List<String> names) {
            return "list";
        }

        @Tool(name = "marked", description = "Marked.")
        public static String both(@ToolParam(name = "the_text") String text, @Injected String tenant, ToolContext context) {
            return text + tenant;
        }

        public static String both(int number) {
            return "number";
        }
    }

    @Test
    void valuesOfManyTypes() {
        Map<String, Object> arguments = new LinkedHashMap<>(Map.of("i", 1, "l", 2, "d", 3, "b", true, "c", "x"));
        arguments.putAll(Map.of("amount", "1.50", "id", "0cc175b9-c0f1-36b6-b1c3-99e269772661", "at", "2024-01-01T00:00:00Z"));
        Map<String, Object> line = Map.of("sku", "a", "pieces", 2);
        arguments.putAll(Map.of("line", line, "lines", List.of(line), "sizes", Map.of("k", "LARGE"), "length", "PT1S"));
        arguments.putAll(Map.of("n", 7, "text", "t"));
        assertEquals(
                "1|2|3.0|true|x|1.50|0cc175b9-c0f1-36b6-b1c3-99e269772661|true|Line[sku=a, pieces=2]"
                        + "|[Line[sku=a, pieces=2]]|{k=LARGE}|PT1S|7|t",
                value(HERE + "Several#all", arguments));
    }

    @Test
    void inheritedMethods() {
        assertEquals("hello you", value(HERE + "Days#hello", Map.of("who", "you")));
        assertEquals("hi!", value(HERE + "Named#shout", Map.of("what", "hi")));
        for (String target : List.of("put", "put(T)", "put(Object)")) {
            BoundTool put = tool(HERE + "Days#" + target);
            assertEquals("Days_put", put.spec().name());
            assertEquals(List.of(LocalDate.of(2024, 1, 2)), Invoking.value(put, Map.of("item", "2024-01-02")));
            assertEquals("item: cannot be read as date", Invoking.refused(put, Map.of("item", "x")).message());
        }
        assertEquals(
                List.of(LocalDate.of(2024, 1, 2)),
                value(HERE + "Days#putAll(Collection<? extends T>)", Map.of("items", List.of("2024-01-02"))));
        assertEquals(List.of(7L), value(HERE + "Box#put", Map.of("item", 7)));
    }

    @Test
    void methodsOfOneClassShareAnInstance() {
        ToolRegistry tools = referenced(
                ToolReference.to(HERE + "Box#put").named("one"), ToolReference.to(HERE + "Box#putAll").named("all"));
        Invoking.value(tools.get("one"), Map.of("item", 1));
        assertEquals(List.of(1L, 2L), Invoking.value(tools.get("all"), Map.of("items", List.of(2))));
    }

    @Test
    void overloadsAreToldApart() {
        assertEquals("varargs 2", value(HERE + "Several#pick(String...)", Map.of("names", List.of("a", "b"))));
        assertEquals("list", value(HERE + "Several#pick(List<String>)", Map.of("names", List.of())));
        assertEquals("list", value(HERE + "Several#pick(java.util.List)", Map.of("names", List.of())));
        String ambiguous = misuse(HERE + "Several#when(Date)");
        assertTrue(ambiguous.contains("there are: when(Date), when(Date); write types of one name in full"), ambiguous);
        assertTrue(misuse(HERE + "Several#when(java.sql.Date)").contains("parameter day of"));
        assertTrue(misuse(HERE + "Several#with").contains("parameter function of"));
        assertTrue(misuse(HERE + "Several#sorted").contains("parameter order of"));
    }

    @Test
    void aMarkedMethodKeepsWhatItsMarkSays() {
        BoundTool marked = tool(HERE + "Several#both");
        assertEquals("marked", marked.spec().name());
        assertEquals("Marked.", marked.spec().description());
        assertEquals("ab", ((Returned) Invoking.outcome(marked, Map.of("the_text", "a"), Map.of("tenant", "b"))).value());
        BoundTool renamed = referenced(ToolReference.to(HERE + "Several#both(String,String,ToolContext)")
                        .named("other").withParameters("what"))
                .get("other");
        assertEquals(Set.of("what"), parameters(renamed));
        assertEquals("Marked.", renamed.spec().description());
        assertEquals("number", value(HERE + "Several#both(int)", Map.of("number", 1)));
    }

    // Names and classes ----------------------------------------------------------------------------------------------

    private static final String PLAIN = """
            package com.example;

            public class Plain extends Hidden {
                public static String at(long id, double share, String name, int[] counts) { return name + id; }
                public String of(long id, String name) { return name + id; }
                public static class A$Long_Name_That_Goes_On_And_On_And_On_And_On_And_On_And_On_And_On_Übel {
                    public static int one() { return 1; }
                }
            }

            class Hidden {
                public Hidden() {}
                public String open(String text) { return text; }
                public static String still(String text) { return text; }
            }
            """;

    private static URLClassLoader loader(Path folder, String... options) throws Exception {
        Path classes = Compiled.classes(folder, "com.example.Plain", PLAIN, options);
        return new URLClassLoader(new URL[] {classes.toUri().toURL()}, ToolReferenceTest.class.getClassLoader());
    }

    @Test
    void namesComeFromTheClassFile(@TempDir Path folder) throws Exception {
        Map<String, List<String>> ways = Map.of(
                "-parameters", List.of("id", "share", "name", "counts"),
                "-g", List.of("id", "share", "name", "counts"),
                "-g:none", List.of("arg0", "arg1", "arg2", "arg3"));
        for (Map.Entry<String, List<String>> way : ways.entrySet()) {
            try (URLClassLoader loader = loader(folder.resolve(way.getKey().replace(":", "")), way.getKey())) {
                ToolRegistry tools = ToolRegistry.named(
                        loader, List.of("com.example.Plain#at(long,double,String,int[])", "com.example.Plain#of"));
                assertEquals(way.getValue(), List.copyOf(parameters(tools.get("Plain_at"))), way.getKey());
                Map<String, Object> arguments = new HashMap<>();
                arguments.put(way.getValue().get(0), 7);
                arguments.put(way.getKey().equals("-g:none") ? "arg1" : "name", "n");
                assertEquals("n7", Invoking.value(tools.get("Plain_of"), arguments));
            }
        }
    }

    @Test
    void methodsOfClassesThatAreNotPublic(@TempDir Path folder) throws Exception {
        try (URLClassLoader loader = loader(folder, "-g")) {
            ToolRegistry tools = ToolRegistry.named(
                    loader, List.of("com.example.Plain#open(String)", "com.example.Plain#still", "com.example.Hidden#still"));
            for (BoundTool tool : tools.all()) {
                String parameter = (String) parameters(tool).iterator().next();
                assertEquals("t", Invoking.value(tool, Map.of(parameter, "t")), tool.spec().name());
            }
        }
        assertEquals(0, value("java.lang.StringBuilder#length()", Map.of()));
        String closed = misuse("java.util.Collections$SetFromMap#newSetFromMap");
        assertTrue(closed.contains("no public method named"), closed);
        String inner = misuse("java.util.ComparableTimSort#gone");
        assertTrue(inner.contains("no public method named gone"), inner);
        String hidden = misuse("sun.security.action.GetPropertyAction#privilegedGetProperty(String)");
        assertEquals(
                "the method sun.security.action.GetPropertyAction#privilegedGetProperty(String) cannot be called from here:"
                        + " its class is in a package that its module does not export; name a method of a public class or"
                        + " interface, or call it from a method of your own",
                hidden);
    }

    @Test
    void aDefaultNameIsOneThatModelsTake(@TempDir Path folder) throws Exception {
        try (URLClassLoader loader = loader(folder, "-g")) {
            String type = "com.example.Plain$A$Long_Name_That_Goes_On_And_On_And_On_And_On_And_On_And_On_And_On_Übel";
            String name = ToolRegistry.named(loader, List.of(type + "#one")).all().iterator().next().spec().name();
            assertTrue(name.matches("[A-Za-z0-9_-]{64}"), name);
            assertTrue(name.endsWith("__bel_one"), name);
        }
        assertEquals("Several_pick", tool(HERE + "Several#pick(List)").spec().name());
        assertEquals(DayOfWeek.MONDAY, value("java.time.DayOfWeek#of(int)", Map.of("dayOfWeek", 1)));
    }
}
