// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.Locale;
import java.util.Optional;

/** How a record came about (clause 8.4). */
public enum Execution {
    /** The call was handed to its tool. */
    EXECUTED,
    /** A stored outcome answered. */
    REUSED,
    /** The call was never handed to a tool. */
    NOT_EXECUTED;

    private final String wire = name().toLowerCase(Locale.ROOT);

    /** The name in JSON. */
    public String wire() {
        return wire;
    }

    /** The execution with that name in JSON, or nothing. */
    public static Optional<Execution> fromWire(String wire) {
        for (Execution execution : values()) {
            if (execution.wire.equals(wire)) {
                return Optional.of(execution);
            }
        }
        return Optional.empty();
    }
}
