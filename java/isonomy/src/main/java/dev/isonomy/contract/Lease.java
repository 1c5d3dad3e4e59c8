// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.Iterator;
import java.util.List;

/** The right to run one batch (clause J3). Safe for use by several threads. */
public interface Lease {

    /**
     * The slots of the batch by position, each once.
     *
     * @throws JournalException the journal cannot be read; so may the iterator's methods
     */
    Iterator<StoredCall> stored();

    /**
     * Makes a slot known before its body starts; durable on return. A slot that is known stays as it is.
     *
     * @throws LeaseLost another host owns the batch
     * @throws JournalException the journal cannot be written
     */
    void reserve(SlotKey slot);

    /**
     * Keeps how calls ended, all of them or, where this throws, none; durable on return (clause J4.4).
     *
     * @param last whether nothing more will be written: the lease is given back by the same step (clause J3.5), unless
     *     this throws
     * @throws LeaseLost another host owns the batch
     * @throws JournalException the journal cannot be written
     */
    void finish(List<Finished> finished, boolean last);

    /**
     * Gives the lease back; more calls do nothing.
     *
     * @param ended whether the batch came to its end
     * @throws JournalException the journal cannot be written; the lease ends by itself
     */
    void release(boolean ended);

    /** Whether another host is known to own the batch. */
    boolean isLost();
}
