// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

/**
 * Tells the interruption of a caller from a body's own {@code InterruptedException} (clauses 8.9 and 8.11), where the
 * caller's thread runs the body itself.
 *
 * <p>When the JDK throws that exception it has cleared the thread's flag, so that only the exception is left to judge.
 * One that the JDK threw means that the thread was interrupted, and nobody but the caller's side interrupts it. One that
 * the body made itself is the caller's only where the flag is still set, or where the body asked its context first.
 */
final class Interruption {

    private Interruption() {}

    /** Whether {@code thrown}, which a body on this thread threw, is its caller's interruption. */
    static boolean isCallers(Throwable thrown, CallContext context) {
        return thrown instanceof InterruptedException
                && (context.sawInterrupt() || Thread.currentThread().isInterrupted() || isThrownByJdk(thrown));
    }

    private static boolean isThrownByJdk(Throwable thrown) {
        StackTraceElement[] frames = thrown.getStackTrace();
        if (frames.length == 0 || !"java.base".equals(frames[0].getModuleName())) {
            return false;
        }
        // An exception made by reflection has the JDK's reflection at its top.
        String type = frames[0].getClassName();
        return !type.startsWith("jdk.internal.reflect.")
                && !type.startsWith("java.lang.reflect.")
                && !type.startsWith("java.lang.invoke.");
    }
}
