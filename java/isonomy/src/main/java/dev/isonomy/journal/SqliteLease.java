// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.journal;

import dev.isonomy.contract.Finished;
import dev.isonomy.contract.Lease;
import dev.isonomy.contract.SlotKey;
import dev.isonomy.contract.StoredCall;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** The lease of one batch in a file. */
final class SqliteLease implements Lease {

    private final SqliteJournal journal;
    private final long batch;
    private final long fence;
    private final AtomicLong seq;
    private final AtomicBoolean released = new AtomicBoolean();
    private volatile boolean lost;

    /**
     * @param batch the number of the batch
     * @param seq the number of the next slot that is written
     */
    SqliteLease(SqliteJournal journal, long batch, long fence, long seq) {
        this.journal = journal;
        this.batch = batch;
        this.fence = fence;
        this.seq = new AtomicLong(seq);
    }

    long batch() {
        return batch;
    }

    long fence() {
        return fence;
    }

    /** Notes that another host owns the batch. */
    void lose() {
        lost = true;
    }

    @Override
    public boolean isLost() {
        return lost;
    }

    @Override
    public Iterator<StoredCall> stored() {
        return new Pages();
    }

    @Override
    public void reserve(SlotKey slot) {
        journal.write(new SqliteWrite(this).reserve(slot, seq.getAndIncrement()));
    }

    @Override
    public void finish(List<Finished> finished, boolean last) {
        long now = System.currentTimeMillis();
        SqliteWrite write = new SqliteWrite(this);
        for (Finished each : finished) {
            write.finish(each, seq.getAndIncrement(), now);
        }
        if (last) {
            write.release(true, now);
        }
        journal.write(write);
        if (last) {
            released.set(true);
            journal.letGo(this);
        }
    }

    @Override
    public void release(boolean ended) {
        if (!released.compareAndSet(false, true)) {
            return;
        }
        journal.letGo(this);
        if (!lost) {
            journal.write(new SqliteWrite(this).release(ended, System.currentTimeMillis()));
        }
    }

    /** Reads the slots page by page. */
    private final class Pages implements Iterator<StoredCall> {
        private List<StoredCall> page = List.of();
        private int next;
        private int after = -1;
        private boolean over;

        @Override
        public boolean hasNext() {
            if (next == page.size() && !over) {
                page = journal.read(batch, after);
                next = 0;
                over = page.isEmpty();
            }
            return !over;
        }

        @Override
        public StoredCall next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            StoredCall stored = page.get(next++);
            after = stored.slot().position();
            return stored;
        }
    }
}
