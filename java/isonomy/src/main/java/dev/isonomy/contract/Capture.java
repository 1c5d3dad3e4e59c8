// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Makes error data of exceptions (clauses 3.8, 4.9 to 4.13). Safe for use by several threads. */
public final class Capture {
    /** How many wrappers are followed before they are taken for endless. */
    private static final int MAX_WRAPPERS = 64;
    /** How many frames of one exception a trace names. */
    private static final int MAX_FRAMES = 1024;

    private Capture() {}

    /**
     * What an exception says: its type, message, causes and trace, without the wrappers that reflection and futures
     * put around it. Never throws, whatever the exception does.
     */
    public static ErrorInfo errorInfo(Throwable thrown) {
        Throwable bare = unwrapped(thrown);
        List<Throwable> chain = chain(bare);
        return new ErrorInfo(
                bare.getClass().getName(), message(bare), causes(chain), TraceText.of(chain), Language.JAVA);
    }

    /** The exception without the wrappers of clause 3.8. */
    public static Throwable unwrapped(Throwable thrown) {
        Throwable bare = Misuse.required(thrown, "the exception");
        for (int i = 0; i < MAX_WRAPPERS; i++) {
            Throwable inner = isWrapper(bare) ? cause(bare) : null;
            if (inner == null) {
                break;
            }
            bare = inner;
        }
        return bare;
    }

    private static boolean isWrapper(Throwable thrown) {
        Class<?> type = thrown.getClass();
        return type == InvocationTargetException.class
                || type == CompletionException.class
                || type == ExecutionException.class;
    }

    /** The error and its causes in Java, outermost first; one seen before ends it. */
    private static List<Throwable> chain(Throwable error) {
        List<Throwable> chain = new ArrayList<>(4);
        Throwable next = error;
        while (next != null && chain.size() <= ErrorInfo.MAX_LINKS && !holds(chain, next)) {
            Throwable after = cause(next);
            if (next.getClass() != InvocationTargetException.class || after == null) {
                chain.add(next);
            }
            next = after;
        }
        return chain;
    }

    private static boolean holds(List<Throwable> chain, Throwable link) {
        for (Throwable seen : chain) {
            if (seen == link) {
                return true;
            }
        }
        return false;
    }

    /** The chain without the error itself; a failed call of the body's own goes on with its causes (clause 4.9). */
    private static List<Cause> causes(List<Throwable> chain) {
        List<Cause> causes = new ArrayList<>(chain.size());
        for (Throwable link : chain.subList(1, chain.size())) {
            if (link instanceof ToolFailed failed) {
                ToolError error = failed.error();
                causes.add(new Cause(typeOf(error), error.message(), error.language()));
                causes.addAll(error.causes());
            } else {
                causes.add(new Cause(link.getClass().getName(), message(link), Language.JAVA));
            }
        }
        return causes;
    }

    /** What the error of a failed call is called among causes. */
    static String typeOf(ToolError error) {
        return error.type() == null ? error.kind().wire() : error.type();
    }

    /** The message, null where there is none or where it cannot be had (clause 4.13). */
    static String message(Throwable thrown) {
        try {
            String message = thrown.getMessage();
            return message == null ? null : ErrorText.cut(message, ErrorText.MAX_CROSSING);
        } catch (Throwable broken) { // the class may be the tool's own and do anything here
            return null;
        }
    }

    private static Throwable cause(Throwable thrown) {
        try {
            return thrown.getCause();
        } catch (Throwable broken) { // as above
            return null;
        }
    }

    /** The innermost frames, without those that cannot be had (clause 4.10). */
    static StackTraceElement[] frames(Throwable thrown) {
        StackTraceElement[] frames;
        try {
            frames = thrown.getStackTrace();
        } catch (Throwable broken) { // as above
            frames = null;
        }
        if (frames == null) {
            return new StackTraceElement[0];
        }
        boolean whole = frames.length <= MAX_FRAMES;
        for (int i = 0; whole && i < frames.length; i++) {
            whole = frames[i] != null;
        }
        return whole ? frames : Arrays.stream(frames).filter(Objects::nonNull).limit(MAX_FRAMES)
                .toArray(StackTraceElement[]::new);
    }
}
