// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** What sort of failure an error is: the closed list of clause 4.2. */
public enum ErrorKind {
    /** The tool itself said that it failed. */
    TOOL_ERROR,
    /** The body raised or threw. */
    EXCEPTION,
    /** The arguments do not fit the tool; the body did not run. */
    INVALID_ARGUMENTS,
    /** No tool has that name. */
    NOT_FOUND,
    /** A policy refused the call. */
    DENIED,
    /** The runtime's deadline passed while the body ran. */
    TIMEOUT,
    /** A server answered with a protocol error. */
    PROTOCOL,
    /** The peer was lost before it answered. */
    CONNECTION_LOST,
    /** A result has no portable form and strict values are asked for. */
    RESULT_CONVERSION,
    /** A value is beyond a limit of size. */
    TOO_LARGE,
    /** The call was never started. */
    NOT_RUN,
    /** A fault of the runtime itself. */
    INTERNAL;

    private static final Map<String, ErrorKind> BY_WIRE = new HashMap<>();

    static {
        for (ErrorKind kind : values()) {
            BY_WIRE.put(kind.wire, kind);
        }
    }

    private final String wire = name().toLowerCase(Locale.ROOT);

    /** The kind as it stands in JSON, for example {@code "not_found"}. */
    public String wire() {
        return wire;
    }

    /** The kind with that name in JSON, or nothing where this version knows none. */
    public static Optional<ErrorKind> fromWire(String wire) {
        return Optional.ofNullable(BY_WIRE.get(wire));
    }
}
