// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.Set;

/**
 * Whose turn it is in a batch: so many calls at once as the batch allows, in request order, each with the permit that
 * its tool demands; calls that wait for a permit are passed by (clause 8.7). Safe for use by several threads.
 */
final class Turns {

    private final Batch batch;
    private final Runnable next;
    private final Deque<Slot> pending = new ArrayDeque<>();
    /** Permits that were asked for in vain and will tell when one is free. */
    private final Set<Permits> watched = Collections.newSetFromMap(new IdentityHashMap<>());
    private int active;

    /** @param next called when it may be worth while to {@link #take} again */
    Turns(Batch batch, Runnable next) {
        this.batch = batch;
        this.next = next;
        Collections.addAll(pending, batch.slots);
    }

    /** The next call that may start now, or null. */
    synchronized Slot take() {
        if (active >= batch.options.parallel()) {
            return null;
        }
        for (Iterator<Slot> each = pending.iterator(); each.hasNext(); ) {
            Slot slot = each.next();
            boolean free = slot.permits == null || batch.isStopped();
            if (free || !watched.contains(slot.permits) && permitted(slot)) {
                each.remove();
                active++;
                return slot;
            }
        }
        return null;
    }

    /** Notes that so many calls that were taken have ended. */
    synchronized void ended(int calls) {
        active -= calls;
    }

    /** Lets no further call start. */
    synchronized void close() {
        pending.clear();
    }

    private boolean permitted(Slot slot) {
        slot.holdsPermit = slot.permits.takeOrWatch(() -> freed(slot.permits));
        if (!slot.holdsPermit) {
            watched.add(slot.permits);
        }
        return slot.holdsPermit;
    }

    private void freed(Permits permits) {
        synchronized (this) {
            watched.remove(permits);
        }
        next.run();
    }
}
