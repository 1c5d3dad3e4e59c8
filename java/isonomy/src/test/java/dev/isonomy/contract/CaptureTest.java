// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Clauses 3.8 and 4.9 to 4.13: whatever an exception does, an error is made of it. */
final class CaptureTest {

    @Test
    void everythingAnExceptionDoesIsSurvived() {
        ErrorInfo info = Capture.errorInfo(new Hostile());
        assertEquals(Hostile.class.getName(), info.type());
        assertEquals(Hostile.class.getName(), info.message());
        assertEquals(List.of(), info.causes());
        assertEquals(Hostile.class.getName() + "\n", info.trace());
        ErrorInfo outer = Capture.errorInfo(new IllegalStateException("m", new Hostile()));
        assertEquals(List.of(new Cause(Hostile.class.getName(), null, Language.JAVA)), outer.causes());
    }

    @Test
    void framesThatCannotBeHadAreLeftOut() {
        StackTraceElement frame = new StackTraceElement("com.acme.Tool", "run", "Tool.java", 7);
        String head = Frames.class.getName() + ": m\n";
        String line = "\tat com.acme.Tool.run(Tool.java:7)\n";
        assertEquals(head, Capture.errorInfo(new Frames(null)).trace());
        assertEquals(head, Capture.errorInfo(new Frames(new StackTraceElement[3])).trace());
        assertEquals(head + line, Capture.errorInfo(new Frames(new StackTraceElement[] {null, frame, null})).trace());
        StackTraceElement[] many = new StackTraceElement[100_000];
        java.util.Arrays.fill(many, frame);
        assertEquals(head + line.repeat(1024), Capture.errorInfo(new Frames(many)).trace());
        ErrorInfo outer = Capture.errorInfo(new IllegalStateException("outer", new Frames(null)));
        assertTrue(outer.trace().contains("Caused by: " + head), outer.trace());
    }

    private static final class Frames extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient StackTraceElement[] frames;

        Frames(StackTraceElement[] frames) {
            super("m");
            this.frames = frames;
        }

        @Override
        public StackTraceElement[] getStackTrace() {
            return frames;
        }
    }

    @Test
    void aLoopOfCausesEnds() {
        Exception a = new Exception("a");
        Exception b = new Exception("b", a);
        a.initCause(b);
        ErrorInfo info = Capture.errorInfo(a);
        assertEquals(List.of("b"), messages(info));
        assertEquals(1, count(info.trace(), "Caused by: "));
    }

    @Test
    void sixteenCausesAreKept() {
        Exception chain = new Exception("innermost");
        for (int i = 0; i < 20; i++) {
            chain = new Exception("link " + i, chain);
        }
        ErrorInfo info = Capture.errorInfo(chain);
        assertEquals(16, info.causes().size());
        assertEquals("link 18", info.causes().get(0).message());
        assertEquals("link 3", info.causes().get(15).message());
        assertEquals(16, count(info.trace(), "Caused by: "));
    }

    @Test
    void longAndBrokenTextsAreBounded() {
        String long1 = "x".repeat(1 << 20);
        ErrorInfo info = Capture.errorInfo(new IllegalStateException(long1, new IOException(long1)));
        assertEquals(ErrorText.MAX_CROSSING, info.message().length());
        assertTrue(info.message().endsWith("…"));
        assertTrue(info.trace().length() <= ErrorText.MAX_CROSSING);
        assertEquals("a\uFFFDb", Capture.errorInfo(new Exception("a\uD800b")).message());
        assertTrue(Capture.errorInfo(new Exception("a\uDC00")).trace().startsWith("java.lang.Exception: a\uFFFD\n"));
    }

    @Test
    void wrappersAreRemovedWhereTheyStandOutermost() {
        IOException bare = new IOException("disk");
        assertSame(bare, Capture.unwrapped(new CompletionException(new InvocationTargetException(bare))));
        Throwable empty = new InvocationTargetException(null);
        assertSame(empty, Capture.unwrapped(empty));
        ErrorInfo inside = Capture.errorInfo(new IllegalStateException("m", new InvocationTargetException(bare)));
        assertEquals(List.of("disk"), messages(inside));
        assertFalse(inside.trace().contains("InvocationTargetException"));
        final class Mine extends CompletionException {
            private static final long serialVersionUID = 1L;

            Mine(Throwable cause) {
                super(cause);
            }
        }
        assertEquals(Mine.class.getName(), Capture.errorInfo(new Mine(bare)).type());
    }

    @Test
    void aChainGoesOnInTheOtherLanguage() {
        Cause key = new Cause("KeyError", "'sku'", Language.PYTHON);
        ToolFailed inner = new ToolFailed(ToolError.builder(ErrorKind.EXCEPTION, "bad sku")
                .type("ValueError")
                .language(Language.PYTHON)
                .causes(List.of(key))
                .trace("Traceback\nValueError: bad sku\n")
                .build());
        inner.initCause(new IOException("disk"));
        ErrorInfo info = Capture.errorInfo(new IllegalStateException("m", inner));
        assertEquals(
                List.of(
                        new Cause("ValueError", "bad sku", Language.PYTHON),
                        key,
                        new Cause(IOException.class.getName(), "disk", Language.JAVA)),
                info.causes());
        assertTrue(info.trace().startsWith("java.lang.IllegalStateException: m\n\tat "), info.trace());
        assertTrue(info.trace().contains("Caused by: java.io.IOException: disk\n"), info.trace());
        assertTrue(
                info.trace().endsWith(
                        "\n\n--- trace of the python error ValueError ---\nTraceback\nValueError: bad sku\n"),
                info.trace());
        ToolFailed declared = new ToolFailed("declined");
        assertEquals(
                List.of(new Cause("tool_error", "declined", Language.JAVA)),
                Capture.errorInfo(new IllegalStateException("m", declared)).causes());
    }

    @Test
    void tracesOfFailedCallsShareTheirRoom() {
        ToolFailed one = new ToolFailed(held(Language.PYTHON));
        ToolFailed other = new ToolFailed(held(Language.JAVA));
        one.initCause(other);
        String trace = Capture.errorInfo(new IllegalStateException("m", one)).trace();
        String second = trace.substring(trace.indexOf("\n--- trace of"));
        assertTrue(second.length() <= 32_768 && second.length() > 32_000, String.valueOf(second.length()));
        assertTrue(second.startsWith("\n--- trace of the python error tool_error ---\nxx"), second.substring(0, 60));
        assertTrue(second.contains("x the end\n\n--- trace of the java error tool_error ---\nthe start x"));
        assertTrue(second.endsWith("xx\n"));
    }

    private static ToolError held(String language) {
        return ToolError.builder(ErrorKind.TOOL_ERROR, "m")
                .language(language)
                .trace("the start " + "x".repeat(60_000) + " the end")
                .build();
    }

    @Test
    void aTraceNamesEachErrorAndWhereItWasThrown() throws Exception {
        String trace = Capture.errorInfo(thrownByReflection()).trace();
        String[] lines = trace.split("\n");
        assertEquals("java.lang.IllegalStateException: no stock", lines[0]);
        assertTrue(lines[1].matches("\tat dev\\.isonomy\\.contract\\.CaptureTest\\.body\\(CaptureTest\\.java:\\d+\\)"), trace);
        assertTrue(trace.contains("\nCaused by: java.io.IOException: disk\n\tat "), trace);
        assertTrue(trace.contains("\tSuppressed: java.lang.Exception: while closing\n"), trace);
        assertTrue(trace.matches("(?s).*Caused by: .*\n\t\\.\\.\\. \\d+ more\n"), trace);
    }

    @Test
    void framesOfTheRuntimeAreLeftOut() {
        Exception error = new Exception("m");
        error.setStackTrace(new StackTraceElement[] {
            frame("dev.isonomy.contract.ToolSuccess"), frame("com.acme.Shop"), frame("jdk.internal.reflect.Invoker"),
            frame("java.lang.reflect.Method"), frame("dev.isonomy.tools.MethodTool"), frame("java.lang.Thread")
        });
        assertEquals(
                "java.lang.Exception: m\n"
                        + "\tat dev.isonomy.contract.ToolSuccess.run(Source.java:3)\n"
                        + "\tat com.acme.Shop.run(Source.java:3)\n",
                Capture.errorInfo(error).trace());
        error.setStackTrace(new StackTraceElement[] {
            frame("dev.isonomy.runtime.Funnel"), new StackTraceElement("java.lang.Thread", "run", null, -1),
            new StackTraceElement("A", "b", "A.java", -2)
        });
        assertEquals(
                "java.lang.Exception: m\n"
                        + "\tat dev.isonomy.runtime.Funnel.run(Source.java:3)\n"
                        + "\tat java.lang.Thread.run(Unknown Source)\n"
                        + "\tat A.b(Native Method)\n",
                Capture.errorInfo(error).trace());
    }

    @Test
    void whatIsThrownIsMappedByWhatItIs() {
        ToolFailure failure = ToolResponse.error("declined");
        assertEquals(new Returned(failure), Mapping.thrown(new ToolFailed(failure)));
        assertEquals(new Returned(failure), Mapping.thrown(new CompletionException(new ToolFailed(failure))));
        Raised raised = (Raised) Mapping.thrown(new StackOverflowError());
        assertEquals("java.lang.StackOverflowError", raised.error().type());
    }

    private static StackTraceElement frame(String type) {
        return new StackTraceElement(type, "run", "Source.java", 3);
    }

    private static Throwable thrownByReflection() throws ReflectiveOperationException {
        Method body = CaptureTest.class.getDeclaredMethod("body");
        try {
            body.invoke(null);
            throw new AssertionError("the body throws");
        } catch (InvocationTargetException wrapped) {
            return wrapped;
        }
    }

    static void body() {
        try {
            throw new IOException("disk");
        } catch (IOException disk) {
            IllegalStateException error = new IllegalStateException("no stock", disk);
            error.addSuppressed(new Exception("while closing"));
            throw error;
        }
    }

    private static List<String> messages(ErrorInfo info) {
        return info.causes().stream().map(Cause::message).toList();
    }

    private static int count(String text, String part) {
        return text.split(java.util.regex.Pattern.quote(part), -1).length - 1;
    }

    private static final class Hostile extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new StackOverflowError();
        }

        @Override
        public synchronized Throwable getCause() {
            throw new IllegalStateException();
        }

        @Override
        public StackTraceElement[] getStackTrace() {
            throw new IllegalStateException();
        }

        @Override
        public String toString() {
            throw new IllegalStateException();
        }
    }
}
