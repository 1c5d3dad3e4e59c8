// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.worker;

import dev.isonomy.bridge.WireSocket;
import dev.isonomy.contract.Frame;
import dev.isonomy.contract.LogLine;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BooleanSupplier;

/**
 * What tools log, on its way to the host (W4.6 of spec/wire.md): sent while a call runs, kept for the next one where
 * none does.
 */
final class Logs {

    /** Where {@code java.util.logging} looks for a class that sets it up, once somebody logs. */
    private static final String CONFIG_CLASS = "java.util.logging.config.class";

    private static final String CONFIG_FILE = "java.util.logging.config.file";
    private static final int KEPT = 1_000;

    /** The logs of this process; null until there is a connection. */
    private static volatile Logs current;

    private final WireSocket socket;
    private final int limit;
    private final BooleanSupplier callsRun;
    private final ThreadLocal<Long> call = new ThreadLocal<>();

    // Guarded by the deque.
    private final Deque<LogLine> kept = new ArrayDeque<>();
    private long dropped;
    private volatile boolean hasKept;

    Logs(WireSocket socket, int limit, BooleanSupplier callsRun) {
        this.socket = socket;
        this.limit = limit;
        this.callsRun = callsRun;
    }

    /** Has the platform's loggers end here, unless the process was started with a configuration of its own. */
    static void install() {
        if (System.getProperty(CONFIG_FILE) == null && System.getProperty(CONFIG_CLASS) == null) {
            System.setProperty(CONFIG_CLASS, LogSetup.class.getName());
        }
    }

    /** Takes what is logged from now on. */
    void begin() {
        current = this;
    }

    /** Takes a line; one that comes before there is a connection is printed. */
    static void take(String level, String logger, String message) {
        Logs logs = current;
        if (logs == null) {
            System.err.println(level + " " + logger + ": " + message);
        } else {
            logs.line(new LogLine(level, logger, message, 0));
        }
    }

    /** Says that the current thread runs the body of a call, and sends what was kept. */
    void enter(long number) {
        call.set(number);
        if (hasKept) {
            flush();
        }
    }

    void leave() {
        call.remove();
    }

    private void line(LogLine line) {
        synchronized (kept) {
            if (!callsRun.getAsBoolean()) {
                if (kept.size() == KEPT) {
                    kept.removeFirst();
                    dropped++;
                }
                kept.addLast(line);
                hasKept = true;
                return;
            }
        }
        Long number = call.get();
        send(line, number == null ? 0 : number);
    }

    private void flush() {
        Deque<LogLine> lines;
        long before;
        synchronized (kept) {
            lines = new ArrayDeque<>(kept);
            before = dropped;
            kept.clear();
            dropped = 0;
            hasKept = false;
        }
        for (LogLine line : lines) {
            send(new LogLine(line.level(), line.logger(), line.message(), before), 0);
            before = 0;
        }
    }

    private void send(LogLine line, long number) {
        Frame frame = line.frame(number);
        if (!frame.fits(limit)) {
            String cut = "a line of " + line.message().length() + " characters, too long to be sent";
            frame = new LogLine(line.level(), line.logger(), cut, line.dropped()).frame(number);
        }
        try {
            socket.send(frame);
        } catch (IOException gone) {
            // The worker is about to end; its tools need not hear of it from their logger.
        }
    }
}
