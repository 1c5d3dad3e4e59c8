// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.Map;

/**
 * How a process ended, in words and as details. The platform tells a signal as 128 and its number, as shells do, so that
 * an exit code that looks like one is taken for it.
 *
 * @param words for a message: {@code exit code N} or {@code signal NAME}
 * @param details the same as fields
 */
public record ProcessEnd(String words, Map<String, Object> details) {

    private static final int SIGNALS = 128;
    private static final Map<Integer, String> NAMES = Map.ofEntries(
            Map.entry(1, "SIGHUP"), Map.entry(2, "SIGINT"), Map.entry(3, "SIGQUIT"), Map.entry(4, "SIGILL"),
            Map.entry(5, "SIGTRAP"), Map.entry(6, "SIGABRT"), Map.entry(7, "SIGBUS"), Map.entry(8, "SIGFPE"),
            Map.entry(9, "SIGKILL"), Map.entry(11, "SIGSEGV"), Map.entry(13, "SIGPIPE"), Map.entry(14, "SIGALRM"),
            Map.entry(15, "SIGTERM"), Map.entry(24, "SIGXCPU"), Map.entry(25, "SIGXFSZ"), Map.entry(31, "SIGSYS"));

    /** The end that an exit value of the platform tells of. */
    public static ProcessEnd of(int exitValue) {
        String signal = NAMES.get(exitValue - SIGNALS);
        return signal == null
                ? new ProcessEnd("exit code " + exitValue, Map.of("exit_code", (long) exitValue))
                : new ProcessEnd("signal " + signal, Map.of("signal", signal));
    }
}
