// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import dev.isonomy.contract.CallRecord;
import dev.isonomy.contract.ResponseEvent;
import java.util.ArrayList;
import java.util.List;

/** Calls that are run together under one set of options. Safe for use by several threads. */
final class Batch {

    /** The caller's id, or null. */
    final String id;
    final Slot[] slots;
    final BatchOptions options;
    /** The body that makes these calls, or null. */
    final Scope parent;
    /** Makes the batch {@link #durable}; null where nothing keeps it. */
    final Claiming claiming;
    /** What is kept of the batch, once it is claimed. */
    volatile Durable durable;

    private long seq;
    private volatile boolean failed;

    Batch(String id, Slot[] slots, BatchOptions options, Scope parent, Claiming claiming) {
        this.id = id;
        this.slots = slots;
        this.options = options;
        this.parent = parent;
        this.claiming = claiming;
    }

    /** The number of the next event; the caller holds this batch's lock, so that numbers and events keep one order. */
    long nextSeq() {
        return seq++;
    }

    /** Notes that a call failed. */
    void fail() {
        failed = true;
    }

    /** Whether no further call may start because one failed (clause 8.6), or because the journal did. */
    boolean isStopped() {
        return failed && options.failFast() || isUnkept();
    }

    /** Whether the journal failed, or another host owns the batch by now (clauses 13.7 and J3.3). */
    boolean isUnkept() {
        Durable kept = durable;
        return kept != null && kept.isBroken();
    }

    /** Whether a call has a deadline, of the batch, of every call, or of its tool. */
    boolean isTimed() {
        if (options.deadline() != null || options.callDeadline() != null) {
            return true;
        }
        for (Slot slot : slots) {
            if (slot.tool != null && slot.tool.spec().deadline() != null) {
                return true;
            }
        }
        return false;
    }

    /** One record per call, in request order; every call has ended. */
    ResponseEvent event() {
        List<CallRecord> records = new ArrayList<>(slots.length);
        for (Slot slot : slots) {
            records.add(slot.record);
        }
        return new ResponseEvent(id, records);
    }
}
