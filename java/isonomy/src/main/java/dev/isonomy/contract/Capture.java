// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Makes error data of exceptions (clauses 3.8, 4.9 to 4.13). Safe for use by several threads. */
public final class Capture {
    /** How many wrappers, or causes, are followed before a chain is taken for endless. */
    private static final int MAX_WRAPPERS = 64;

    private Capture() {}

    /**
     * What an exception says: its type, message, causes and trace, without the wrappers that reflection and futures
     * put around it. Never throws, whatever the exception does.
     */
    public static ErrorInfo errorInfo(Throwable thrown) {
        Throwable bare = unwrapped(thrown);
        if (bare instanceof ForeignException foreign) {
            return foreign.info();
        }
        String type = bare.getClass().getName();
        String message = message(bare);
        return new ErrorInfo(type, message, causes(bare), TraceText.of(bare), Language.JAVA);
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

    private static List<Cause> causes(Throwable error) {
        Throwable next = cause(error);
        if (next == null) {
            return List.of();
        }
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        seen.add(error);
        List<Cause> causes = new ArrayList<>();
        while (next != null && causes.size() < ErrorInfo.MAX_LINKS && seen.add(next)) {
            if (next instanceof ForeignException foreign) {
                ErrorInfo info = foreign.info();
                causes.add(new Cause(info.type(), info.message(), info.language()));
                causes.addAll(info.causes());
                break;
            }
            if (next instanceof ToolFailed failed) {
                ToolError inner = failed.error();
                String type = inner.type() == null ? ToolFailed.class.getName() : inner.type();
                causes.add(new Cause(type, inner.message(), inner.language()));
                causes.addAll(inner.causes());
                break;
            }
            Throwable after = cause(next);
            if (next.getClass() != InvocationTargetException.class || after == null) {
                causes.add(new Cause(next.getClass().getName(), message(next), Language.JAVA));
            }
            next = after;
        }
        return causes;
    }

    static String message(Throwable thrown) {
        String message;
        try {
            message = thrown.getMessage();
        } catch (Throwable broken) { // a tool's class may do anything here (clause 4.13)
            return null;
        }
        return message == null ? null : ErrorText.cut(message, ErrorText.MAX_CROSSING);
    }

    static Throwable cause(Throwable thrown) {
        try {
            return thrown.getCause();
        } catch (Throwable broken) { // as above
            return null;
        }
    }
}
