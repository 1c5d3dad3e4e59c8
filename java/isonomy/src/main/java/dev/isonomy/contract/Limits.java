// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.List;
import java.util.Map;

/**
 * What a result must keep to (clauses 5.26 and 5.29).
 *
 * @param maxResultBytes how many bytes the encoding of a result may take, from 1
 * @param strictValues whether a value without a portable form fails the call
 */
public record Limits(long maxResultBytes, boolean strictValues) {
    /** 16 MiB, not strict. */
    public static final Limits DEFAULT = new Limits(16L * 1024 * 1024, false);

    /** No limit of size, not strict: for values that do not come from tools. */
    public static final Limits NONE = new Limits(Long.MAX_VALUE, false);

    /**
     * The outcome under these limits, for a host in the same process: the same one, a failure without its bulk, or what
     * the runtime settles in place of a result that is too large or cannot be converted (clauses 3.12 and 4.15).
     */
    public Outcome applied(Outcome outcome) {
        if (outcome instanceof Settled settled) {
            ToolFailure failure = settled.failure();
            return bounded(failure) == failure
                    ? outcome
                    : new Settled(
                            ResponseWire.withoutBulk(failure).error(), List.of(), Map.of(), settled.isForeign());
        }
        if (!(outcome instanceof Returned returned)) {
            return outcome;
        }
        if (Mapping.returned(returned.value()) instanceof Settled foreign) {
            return foreign;
        }
        if (returned.value() instanceof ToolFailure failure) {
            ToolFailure bounded = bounded(failure);
            return bounded == failure ? outcome : new Returned(bounded);
        }
        JsonForm out = new JsonForm();
        try {
            if (returned.value() instanceof ToolSuccess success) {
                ResponseWire.write(out, success, this);
            } else {
                out.beginBound(maxResultBytes);
                new Encoder(out, strictValues).value(returned.value());
                out.endBound();
            }
            return outcome;
        } catch (PortableException refused) {
            return settled(refused);
        }
    }

    /** A failure under the limit of size: itself, or without its bulk (clause 4.15). */
    public ToolFailure bounded(ToolFailure failure) {
        boolean fits = !ResponseWire.hasBulk(failure) || ResponseWire.fits(new JsonForm(), failure, this);
        return fits ? failure : ResponseWire.withoutBulk(failure);
    }

    static Settled settled(PortableException refused) {
        return Settled.of(refused.kind(), refused.getMessage(), Effect.POSSIBLE);
    }

    /** Refuses a limit below 1. */
    public Limits {
        if (maxResultBytes < 1) {
            throw new Misuse("maxResultBytes is " + maxResultBytes + "; give a number from 1");
        }
    }
}
