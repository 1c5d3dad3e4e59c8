// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.bridge.workers;

import dev.isonomy.contract.LogLine;
import dev.isonomy.tools.Boundary;

/** What tools of workers log, at the loggers of this process that have the same names (W4.6 of spec/wire.md). */
final class WorkerLog {

    private WorkerLog() {}

    /** Never raises: a handler or filter of the application that does is no affair of the call that waits. */
    static void tell(LogLine line) {
        Boundary.run(
                () -> {
                    log(line);
                    return null;
                },
                Boundary.NOTHING_PASSES);
    }

    private static void log(LogLine line) {
        System.Logger logger = System.getLogger(line.logger().isEmpty() ? "dev.isonomy.worker" : line.logger());
        if (line.dropped() > 0) {
            logger.log(System.Logger.Level.WARNING, line.dropped() + " earlier lines of the worker were dropped");
        }
        // Not a pattern: what a tool logs may hold braces.
        logger.log(level(line.level()), () -> line.message());
    }

    private static System.Logger.Level level(String level) {
        return switch (level) {
            case "debug" -> System.Logger.Level.DEBUG;
            case "warning" -> System.Logger.Level.WARNING;
            case "error" -> System.Logger.Level.ERROR;
            default -> System.Logger.Level.INFO;
        };
    }
}
