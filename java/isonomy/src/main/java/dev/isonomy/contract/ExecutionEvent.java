// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * One step in the life of a call (clauses 9.1 to 9.3). It holds no arguments and no results.
 *
 * @param type what happened
 * @param batch the caller's id of the batch, or null
 * @param seq the number of the event in its batch, from 0 without gaps
 * @param position the place of the call in its request, from 0
 * @param callId the caller's id, or null
 * @param tool the name of the tool
 * @param server the server that the tool belongs to, or null; for metrics, and not written
 * @param at when it happened
 * @param execution whether the tool was asked, or null where that does not apply
 * @param attempts how often the call was tried, or null
 * @param durationUs how long it took in microseconds, or null
 * @param kind the kind of a failure, also of one that is reused, or null
 * @param reason why a call was cancelled: {@code cancelled} or {@code suspended}, or null
 * @param progress how far a call has come, for {@link Type#PROGRESS}, or null
 */
public record ExecutionEvent(
        Type type,
        String batch,
        long seq,
        int position,
        String callId,
        String tool,
        String server,
        Instant at,
        Execution execution,
        Integer attempts,
        Long durationUs,
        ErrorKind kind,
        String reason,
        Progress progress)
        implements Event {

    /** The reason of a cancellation by the caller. */
    public static final String CANCELLED = "cancelled";

    /** The reason of a cancellation by a control signal (clause 8.10). */
    public static final String SUSPENDED = "suspended";

    /** Refuses an event that contradicts itself. */
    public ExecutionEvent {
        Misuse.required(type, "the type of an event");
        Misuse.required(tool, "the tool of an event");
        Misuse.required(at, "the time of an event");
        if (kind == null ? type == Type.FAILED : type != Type.FAILED && type != Type.REUSED) {
            throw new Misuse("an event has a kind where it is failed, and where it is reused and a failure");
        }
        if (reason != null != (type == Type.CANCELLED)) {
            throw new Misuse("an event has a reason exactly where it is cancelled");
        }
        if (progress != null != (type == Type.PROGRESS)) {
            throw new Misuse("an event has progress exactly where its type is progress");
        }
    }

    /** What happened to a call. */
    public enum Type {
        /** It was handed to its tool. */
        STARTED,
        /** It told how far it has come. */
        PROGRESS,
        /** It ended in a success. */
        FINISHED,
        /** It ended in a failure. */
        FAILED,
        /** The caller gave up on it. */
        CANCELLED,
        /** A stored outcome answered. */
        REUSED;

        private final String wire = name().toLowerCase(Locale.ROOT);

        /** The name in JSON. */
        public String wire() {
            return wire;
        }

        /** The type with that name in JSON, or nothing. */
        public static Optional<Type> fromWire(String wire) {
            for (Type type : values()) {
                if (type.wire.equals(wire)) {
                    return Optional.of(type);
                }
            }
            return Optional.empty();
        }
    }
}
