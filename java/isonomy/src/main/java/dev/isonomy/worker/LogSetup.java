// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.worker;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.SimpleFormatter;

/** Sets {@code java.util.logging} up for a worker, which it does when somebody logs first, and not before. */
public final class LogSetup {

    /** Called by the platform. */
    public LogSetup() throws IOException {
        String lines = "handlers=" + ToHost.class.getName() + "\n.level=INFO\n";
        LogManager.getLogManager().readConfiguration(new ByteArrayInputStream(lines.getBytes(UTF_8)));
    }

    /** Hands every record to the host. */
    public static final class ToHost extends Handler {

        private static final Formatter MESSAGES = new SimpleFormatter();

        @Override
        public void publish(LogRecord logged) {
            if (isLoggable(logged)) {
                String name = logged.getLoggerName();
                Logs.take(level(logged.getLevel()), name == null ? "" : name, message(logged));
            }
        }

        private static String level(Level level) {
            int value = level.intValue();
            if (value < Level.CONFIG.intValue()) {
                return "debug";
            }
            return value < Level.WARNING.intValue() ? "info" : value < Level.SEVERE.intValue() ? "warning" : "error";
        }

        private static String message(LogRecord logged) {
            String message = String.valueOf(MESSAGES.formatMessage(logged));
            if (logged.getThrown() == null) {
                return message;
            }
            StringWriter trace = new StringWriter();
            logged.getThrown().printStackTrace(new PrintWriter(trace));
            return message + System.lineSeparator() + trace;
        }

        @Override
        public void flush() {
            // every record is sent at once
        }

        @Override
        public void close() {
            // the connection is not this handler's
        }
    }
}
