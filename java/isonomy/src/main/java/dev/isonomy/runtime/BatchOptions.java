// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import dev.isonomy.contract.Journal;
import dev.isonomy.contract.Misuse;
import java.time.Duration;

/**
 * How a batch is run (clauses 8.6 to 8.8, 13). Immutable.
 *
 * <pre>{@code
 * executor.run(request, BatchOptions.inParallel(4).withDeadline(Duration.ofSeconds(10)));
 * }</pre>
 *
 * @param parallel how many calls run at once, from 1: in order
 * @param deadline for the whole batch from its start, or null for none
 * @param callDeadline for each call from when its turn comes, or null for none
 * @param failFast whether no call is started after one failed
 * @param journal keeps the batch, which has an id then: calls that finished in an earlier run of it are reused and do not
 *     run again; null: nothing keeps it
 */
public record BatchOptions(
        int parallel, Duration deadline, Duration callDeadline, boolean failFast, Journal journal) {

    /** In order, without deadlines, siblings isolated. */
    public static final BatchOptions DEFAULT = new BatchOptions(1, null, null, false);

    /** Refuses a limit below 1 and a deadline that is not positive. */
    public BatchOptions {
        if (parallel < 1) {
            throw new Misuse("parallel is at least 1, got " + parallel + "; 1 runs calls in order");
        }
        checkPositive("deadline", deadline);
        checkPositive("callDeadline", callDeadline);
    }

    /** Options of a batch that nothing keeps. */
    public BatchOptions(int parallel, Duration deadline, Duration callDeadline, boolean failFast) {
        this(parallel, deadline, callDeadline, failFast, null);
    }

    /** As {@link #DEFAULT}, with so many calls at once. */
    public static BatchOptions inParallel(int parallel) {
        return new BatchOptions(parallel, null, null, false);
    }

    /** The same with a deadline for the whole batch. */
    public BatchOptions withDeadline(Duration deadline) {
        return new BatchOptions(parallel, deadline, callDeadline, failFast, journal);
    }

    /** The same with a deadline for each call. */
    public BatchOptions withCallDeadline(Duration callDeadline) {
        return new BatchOptions(parallel, deadline, callDeadline, failFast, journal);
    }

    /** The same, starting no call after one failed. */
    public BatchOptions withFailFast() {
        return new BatchOptions(parallel, deadline, callDeadline, true, journal);
    }

    /** The same, kept in a journal, which stays the caller's to close (clause 13). */
    public BatchOptions withJournal(Journal journal) {
        return new BatchOptions(parallel, deadline, callDeadline, failFast, journal);
    }

    private static void checkPositive(String name, Duration duration) {
        if (duration != null && (duration.isZero() || duration.isNegative())) {
            throw new Misuse(name + " is positive, got " + duration + "; null means no deadline");
        }
    }
}
