// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/**
 * A slot as a journal has it (clause J1.1).
 *
 * @param slot which call it is of
 * @param seq in which order it was written in its batch, from 0
 * @param record the outcome as JSON (clause J2.1), or null where the slot is reserved only, as are the following then
 * @param attempts how often the call was tried, or null
 * @param endedMs when it ended in milliseconds since 1970, or null
 * @param durationUs how long it took in microseconds, or null
 */
public record StoredCall(SlotKey slot, long seq, String record, Integer attempts, Long endedMs, Long durationUs) {

    /** A slot that is reserved only. */
    public StoredCall(SlotKey slot, long seq) {
        this(slot, seq, null, null, null, null);
    }
}
