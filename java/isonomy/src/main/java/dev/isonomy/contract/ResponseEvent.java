// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.List;

/**
 * The answer to a request: one record per call, in request order (clause 8.3).
 *
 * @param id the caller's id of the batch, or null
 * @param records the records, unmodifiable; the record at an index has that index as its position
 */
public record ResponseEvent(String id, List<CallRecord> records) implements Event {
    /** Copies the records and checks their order. */
    public ResponseEvent {
        records = Copies.list(records, "the records of a response event");
        for (int i = 0; i < records.size(); i++) {
            if (records.get(i).position() != i) {
                throw new Misuse("record " + i + " has position " + records.get(i).position()
                        + "; give one record per call in request order");
            }
        }
    }
}
