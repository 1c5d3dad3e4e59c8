// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.journal;

import dev.isonomy.contract.Finished;
import dev.isonomy.contract.Journal;
import dev.isonomy.contract.JournalException;
import dev.isonomy.contract.JournalMismatch;
import dev.isonomy.contract.Lease;
import dev.isonomy.contract.LeaseLost;
import dev.isonomy.contract.NotClaimed;
import dev.isonomy.contract.Portable;
import dev.isonomy.contract.SlotKey;
import dev.isonomy.contract.StoredCall;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/**
 * Keeps durable batches while the process lives: for tests, and for batches that need not outlive it. Safe for use by
 * several threads.
 */
public final class MemoryJournal implements Journal {

    private static final long ASK_AGAIN_MS = 50;

    private static final class Kept {
        private final int calls;
        private final TreeMap<Integer, StoredCall> slots = new TreeMap<>();
        private long seq;
        private long fence;
        private boolean owned;

        Kept(int calls) {
            this.calls = calls;
        }
    }

    private final Map<String, Kept> batches = new HashMap<>();
    private boolean closed;

    @Override
    public synchronized Lease claim(String batchId, int calls, BooleanSupplier waits) throws InterruptedException {
        checkOpen();
        Kept batch = batches.computeIfAbsent(batchId, any -> new Kept(calls));
        String told = "batch " + Portable.quoted(batchId);
        if (batch.calls != calls) {
            throw new JournalMismatch(told + ": the journal has " + batch.calls + " calls, this is " + calls);
        }
        while (batch.owned) {
            if (!waits.getAsBoolean()) {
                throw new NotClaimed(told + " has another owner");
            }
            wait(ASK_AGAIN_MS);
            checkOpen();
        }
        batch.owned = true;
        batch.fence++;
        return new MemoryLease(batch);
    }

    private void checkOpen() {
        if (closed) {
            throw new JournalException(where() + " is closed");
        }
    }

    @Override
    public String where() {
        return "the journal in memory";
    }

    /** Forgets everything; more calls do nothing. */
    @Override
    public synchronized void close() {
        closed = true;
        batches.clear();
        notifyAll();
    }

    private final class MemoryLease implements Lease {

        private final Kept batch;
        private final long fence;

        MemoryLease(Kept batch) {
            this.batch = batch;
            this.fence = batch.fence;
        }

        @Override
        public Iterator<StoredCall> stored() {
            synchronized (MemoryJournal.this) {
                return new ArrayList<>(batch.slots.values()).iterator();
            }
        }

        @Override
        public void reserve(SlotKey slot) {
            synchronized (MemoryJournal.this) {
                checkOwned();
                if (!batch.slots.containsKey(slot.position())) {
                    batch.slots.put(slot.position(), new StoredCall(slot, batch.seq++));
                }
            }
        }

        @Override
        public void finish(List<Finished> finished, boolean last) {
            synchronized (MemoryJournal.this) {
                checkOwned();
                for (Finished each : finished) {
                    StoredCall known = batch.slots.get(each.slot().position());
                    if (known != null && known.record() != null) {
                        throw lost();
                    }
                }
                long now = System.currentTimeMillis();
                for (Finished each : finished) {
                    batch.slots.put(each.slot().position(), new StoredCall(
                            each.slot(), batch.seq++, each.record(), each.attempts(), now, each.durationUs()));
                }
                if (last) {
                    release(true);
                }
            }
        }

        @Override
        public void release(boolean ended) {
            synchronized (MemoryJournal.this) {
                if (owns()) {
                    batch.owned = false;
                    MemoryJournal.this.notifyAll();
                }
            }
        }

        @Override
        public boolean isLost() {
            synchronized (MemoryJournal.this) {
                return batch.fence != fence;
            }
        }

        private boolean owns() {
            return batch.fence == fence && batch.owned;
        }

        private void checkOwned() {
            checkOpen();
            if (!owns()) {
                throw lost();
            }
        }

        private LeaseLost lost() {
            return new LeaseLost("the batch has another owner");
        }
    }
}
