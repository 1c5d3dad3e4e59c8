// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import dev.isonomy.contract.Portable;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Locale;
import java.util.Map;

/** What is told to the log of the host about one server, and by it (clauses 14.9 and 14.15). */
final class ServerLog {

    private static final Logger LOGGER = System.getLogger("dev.isonomy.mcp");
    private static final Map<String, Level> LEVELS = Map.of(
            "debug", Level.DEBUG,
            "warning", Level.WARNING,
            "error", Level.ERROR,
            "critical", Level.ERROR,
            "alert", Level.ERROR,
            "emergency", Level.ERROR);
    private static final int SHOWN = 200;
    private static final int MOST = 8_192;

    private final String server;
    private boolean toldOfStrays;

    /** @param server its name, as a JSON string */
    ServerLog(String server) {
        this.server = server;
    }

    /** Tells what a person may have to know. */
    void warn(String message) {
        LOGGER.log(Level.WARNING, () -> server + ": " + message);
    }

    /** Tells of what is no message that somebody waits for, the first time. */
    synchronized void stray(byte[] data) {
        if (toldOfStrays) {
            return;
        }
        String text = Messages.text(data.length <= 4 * SHOWN ? data : java.util.Arrays.copyOf(data, 4 * SHOWN)).strip();
        if (!text.isEmpty()) {
            toldOfStrays = true;
            warn("it sent something that is no message that is waited for; it is left out, and more of the kind will be"
                    + " without a word: "
                    + Portable.quoted(text.length() > SHOWN ? text.substring(0, SHOWN) : text));
        }
    }

    /** Hands on what the server logs. */
    void server(Map<?, ?> told) {
        Object level = told.get("level");
        String data = String.valueOf(told.get("data"));
        LOGGER.log(
                LEVELS.getOrDefault(String.valueOf(level).toLowerCase(Locale.ROOT), Level.INFO),
                () -> server + ": " + (data.length() > MOST ? data.substring(0, MOST) : data));
    }
}
