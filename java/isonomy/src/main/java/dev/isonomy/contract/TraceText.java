// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/** Formats traces. One string, frames that a cause shares with what encloses it left out. */
final class TraceText {
    private TraceText() {}

    static String of(Throwable error) {
        StringBuilder out = new StringBuilder(1024);
        StackTraceElement[] enclosing = null;
        Throwable at = error;
        for (int link = 0; at != null && link <= ErrorInfo.MAX_LINKS && out.length() < ErrorText.MAX_TRACE; link++) {
            if (link > 0) {
                out.append("Caused by: ");
            }
            out.append(at.getClass().getName());
            String message = Capture.message(at);
            if (message != null) {
                out.append(": ").append(message);
            }
            StackTraceElement[] frames = at.getStackTrace();
            append(out.append('\n'), frames, enclosing);
            enclosing = frames;
            at = Capture.cause(at);
        }
        return out.toString();
    }

    private static void append(StringBuilder out, StackTraceElement[] frames, StackTraceElement[] enclosing) {
        int own = frames.length;
        if (enclosing != null) {
            for (int i = enclosing.length; own > 0 && i > 0 && frames[own - 1].equals(enclosing[i - 1]); i--) {
                own--;
            }
        }
        for (int i = 0; i < own; i++) {
            out.append("\tat ").append(frames[i]).append('\n');
        }
        if (own < frames.length) {
            out.append("\t... ").append(frames.length - own).append(" more\n");
        }
    }
}
