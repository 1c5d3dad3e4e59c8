// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.time.Instant;
import java.util.List;

/**
 * What became of one call of a batch (clause 8.4).
 *
 * @param position the place of the call in its request, from 0
 * @param callId the caller's id, or null
 * @param tool the name of the tool
 * @param response the response of the call
 * @param execution whether the tool was asked
 * @param attempts how often the call was tried: 0 unless executed
 * @param startedAt when it was handed to its tool, null unless executed
 * @param durationUs how long it took in microseconds, without queueing, null unless executed
 * @param decoded the paths of arguments that were given as JSON text (clause 7.6)
 */
public record CallRecord(
        int position,
        String callId,
        String tool,
        ToolResponse response,
        Execution execution,
        int attempts,
        Instant startedAt,
        Long durationUs,
        List<String> decoded) {
    /** Refuses a record whose times and attempts do not fit its execution. */
    public CallRecord {
        Misuse.required(tool, "the tool of a record");
        Misuse.required(response, "the response of a record");
        Misuse.required(execution, "the execution of a record");
        boolean executed = execution == Execution.EXECUTED;
        if (position < 0 || executed != attempts > 0 || executed != (startedAt != null)
                || executed != (durationUs != null)) {
            throw new Misuse(
                    "a record has a position from 0, and attempts, startedAt and durationUs exactly where executed");
        }
        decoded = Copies.list(decoded, "the decoded paths of a record");
    }
}
