// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Keeps durable batches (clause 13). Safe for use by several threads. */
public interface Journal extends AutoCloseable {

    /** How long a lease holds after it was last renewed, unless the host says otherwise (clause J3.2). */
    Duration LEASE = Duration.ofSeconds(10);

    /**
     * Becomes the owner of a batch, waiting while another host is.
     *
     * @param batchId the batch
     * @param calls how many calls it has
     * @param waits asked now and then whether to wait on
     * @throws NotClaimed {@code waits} said no
     * @throws JournalMismatch the journal knows the batch with another number of calls
     * @throws BatchPruned the batch was pruned
     * @throws JournalException the journal cannot be used
     * @throws InterruptedException the thread was interrupted while it waited; nothing was claimed
     */
    Lease claim(String batchId, int calls, BooleanSupplier waits) throws InterruptedException;

    /** What messages call it: {@code the journal runs.db}. */
    String where();

    /** Gives back what is open; more calls do nothing. Leases that are held end by themselves. */
    @Override
    void close();
}
