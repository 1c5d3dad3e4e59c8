// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.ArrayList;
import java.util.List;

/**
 * Formats traces (clause 4.10) much as {@code printStackTrace} does, in one string, and leaner: frames below the tool's
 * body are the runtime's and are left out, and so are frames that a cause shares with what encloses it.
 * The traces of failed calls that the body made itself stand behind.
 */
final class TraceText {
    private static final String OURS = "dev.isonomy.";
    private static final String OUR_VALUES = "dev.isonomy.contract.";

    /** The most code points of the traces that came with the errors of calls that the body made. */
    private static final int MAX_HELD = 32_768;

    private TraceText() {}

    /** The trace of an error and its causes. */
    static String of(List<Throwable> chain) {
        StringBuilder out = new StringBuilder(1024);
        StackTraceElement[] enclosing = {};
        int enclosingEnd = 0;
        for (Throwable link : chain) {
            if (out.length() > 0) {
                out.append("Caused by: ");
            }
            head(out, link).append('\n');
            StackTraceElement[] frames = Capture.frames(link);
            int end = bodyEnd(frames);
            int own = end - shared(frames, end, enclosing, enclosingEnd);
            for (int i = 0; i < own; i++) {
                frame(out, frames[i]);
            }
            if (own < end) {
                out.append("\t... ").append(end - own).append(" more\n");
            }
            for (Throwable suppressed : link.getSuppressed()) {
                head(out.append("\tSuppressed: "), suppressed).append('\n');
            }
            if (out.length() > ErrorText.MAX_CROSSING) {
                break;
            }
            enclosing = frames;
            enclosingEnd = end;
        }
        held(out, chain);
        return ErrorText.cutTrace(out.toString(), Language.JAVA, ErrorText.MAX_CROSSING);
    }

    /** Adds the traces that came with the errors of failed calls, perhaps of another language. */
    private static void held(StringBuilder out, List<Throwable> chain) {
        List<ToolError> errors = new ArrayList<>(0);
        for (Throwable link : chain.subList(1, chain.size())) {
            if (link instanceof ToolFailed failed && failed.error().trace() != null) {
                errors.add(failed.error());
            }
        }
        for (ToolError error : errors) {
            String label = "\n--- trace of the " + error.language() + " error " + Capture.typeOf(error) + " ---\n";
            int room = Math.max(0, MAX_HELD / errors.size() - label.codePointCount(0, label.length()) - 1);
            String trace = error.trace().replaceFirst("\n+$", "");
            out.append(label).append(ErrorText.cutTrace(trace, error.language(), room)).append('\n');
        }
    }

    private static StringBuilder head(StringBuilder out, Throwable link) {
        out.append(link.getClass().getName());
        String message = Capture.message(link);
        return message == null ? out : out.append(": ").append(message);
    }

    /** How many frames, from the innermost, are the body's: up to the runtime's and the reflection that called it. */
    private static int bodyEnd(StackTraceElement[] frames) {
        boolean inBody = false;
        for (int i = 0; i < frames.length; i++) {
            String type = frames[i].getClassName();
            boolean ours = type.startsWith(OURS) && !type.startsWith(OUR_VALUES);
            if (ours && inBody) {
                int end = i;
                while (end > 1 && isReflection(frames[end - 1].getClassName())) {
                    end--;
                }
                return end;
            }
            inBody |= !ours;
        }
        return frames.length;
    }

    private static boolean isReflection(String type) {
        return type.startsWith("java.lang.reflect.")
                || type.startsWith("jdk.internal.reflect.")
                || type.startsWith("java.lang.invoke.");
    }

    private static int shared(StackTraceElement[] frames, int end, StackTraceElement[] enclosing, int enclosingEnd) {
        int shared = 0;
        while (shared < Math.min(end, enclosingEnd)
                && frames[end - 1 - shared].equals(enclosing[enclosingEnd - 1 - shared])) {
            shared++;
        }
        return shared;
    }

    private static void frame(StringBuilder out, StackTraceElement frame) {
        out.append("\tat ").append(frame.getClassName()).append('.').append(frame.getMethodName()).append('(');
        if (frame.isNativeMethod()) {
            out.append("Native Method");
        } else if (frame.getFileName() == null) {
            out.append("Unknown Source");
        } else {
            out.append(frame.getFileName());
            if (frame.getLineNumber() >= 0) {
                out.append(':').append(frame.getLineNumber());
            }
        }
        out.append(")\n");
    }
}
