// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.host;

import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/**
 * Prints what is told about MCP servers, and by them, to the standard error: warnings and worse, each the bare message, as
 * a Python host does that was told nothing else. A logging configuration of the process counts in its place.
 */
final class HostLog extends Handler {

    /** A logger that nobody holds loses its handlers. */
    private static final Logger TOLD = Logger.getLogger("dev.isonomy.mcp");

    private final SimpleFormatter text = new SimpleFormatter();

    private HostLog() {}

    static void install() {
        if (System.getProperty("java.util.logging.config.file") == null
                && System.getProperty("java.util.logging.config.class") == null) {
            Handler handler = new HostLog();
            handler.setLevel(Level.WARNING);
            TOLD.setUseParentHandlers(false);
            TOLD.addHandler(handler);
        }
    }

    @Override
    public void publish(LogRecord told) {
        if (isLoggable(told)) {
            System.err.println(text.formatMessage(told));
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
