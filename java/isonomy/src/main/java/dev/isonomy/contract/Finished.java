// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/**
 * An outcome on its way into a journal.
 *
 * @param slot which call it is of
 * @param record the outcome as JSON (clause J2.1)
 * @param attempts how often the call was tried, from 1
 * @param durationUs how long it took in microseconds
 */
public record Finished(SlotKey slot, String record, int attempts, long durationUs) {

    /** Refuses an outcome without a slot or a record. */
    public Finished {
        Misuse.required(slot, "the slot of an outcome");
        Misuse.required(record, "the record of an outcome");
    }
}
