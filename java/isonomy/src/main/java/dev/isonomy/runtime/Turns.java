// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Whose turn it is in a batch: so many calls at once as the batch allows, in request order, each with the permit that
 * its tool demands (clause 8.7). In parallel, calls that wait for a permit are passed by. Safe for use by several
 * threads.
 */
final class Turns {

    /** The calls that need a permit of one tool, in request order, or those that need none. */
    private final class Line implements Permits.Waiter {
        private final Permits permits;
        private final List<Slot> slots = new ArrayList<>();
        private int head;
        private int onTheClock;
        /** Whether a permit was asked for in vain. */
        private boolean waits;

        Line(Permits permits) {
            this.permits = permits;
        }

        boolean isEmpty() {
            return head == slots.size();
        }

        @Override
        public boolean granted() {
            Slot slot;
            synchronized (Turns.this) {
                waits = false;
                // Nothing is taken that cannot start at once: others may want the permit.
                if (isEmpty() || active >= batch.options.parallel() || batch.isStopped() || first(false) != this) {
                    return false;
                }
                slot = next(this);
                slot.holdsPermit = true;
            }
            granted.accept(slot);
            return true;
        }
    }

    private final Batch batch;
    private final Consumer<Slot> granted;
    private final Consumer<Slot> clock;
    private final List<Line> lines = new ArrayList<>();
    private int active;
    /** How many calls wait for nothing but a permit, their time running. */
    private int onTheClock;
    private boolean closed;

    /**
     * @param granted starts a call that waited for its permit
     * @param clock starts the time of a call that waits for nothing but a permit; called with this object's lock held
     */
    Turns(Batch batch, Consumer<Slot> granted, Consumer<Slot> clock) {
        this.batch = batch;
        this.granted = granted;
        this.clock = clock;
    }

    /** Lets the calls start that have no record yet. */
    synchronized void open() {
        Map<Permits, Line> byPermits = new IdentityHashMap<>();
        for (Slot slot : batch.slots) {
            if (closed || slot.record != null) {
                continue;
            }
            Line line = byPermits.get(slot.permits);
            if (line == null) {
                line = new Line(slot.permits);
                byPermits.put(slot.permits, line);
                lines.add(line);
            }
            line.slots.add(slot);
        }
    }

    /** The next call that may start now, or null. */
    synchronized Slot take() {
        if (active >= batch.options.parallel()) {
            return null;
        }
        boolean stopped = batch.isStopped();
        for (Line line = first(stopped); line != null; line = first(stopped)) {
            if (line.permits == null || stopped) {
                return next(line);
            }
            if (line.permits.takeOrWait(line)) {
                Slot slot = next(line);
                slot.holdsPermit = true;
                return slot;
            }
            line.waits = true;
        }
        startClocks();
        return null;
    }

    /** The line whose first call is the next in request order, of those that do not wait; null where there is none. */
    private Line first(boolean stopped) {
        boolean inOrder = batch.options.parallel() == 1;
        Line first = null;
        for (Line line : lines) {
            boolean candidate = !line.isEmpty() && (inOrder || stopped || !line.waits);
            if (candidate && (first == null || line.slots.get(line.head).position < first.slots.get(first.head).position)) {
                first = line;
            }
        }
        return first != null && first.waits && !stopped ? null : first;
    }

    private Slot next(Line line) {
        Slot slot = line.slots.get(line.head);
        leave(line, slot);
        active++;
        return slot;
    }

    /** As many calls wait with their time running as could start if there were permits (clause 8.8). */
    private void startClocks() {
        boolean inOrder = batch.options.parallel() == 1;
        while (active + onTheClock < batch.options.parallel()) {
            Line first = null;
            for (Line line : lines) {
                line.onTheClock = Math.max(line.onTheClock, line.head);
                boolean candidate = line.onTheClock < line.slots.size() && (inOrder || line.waits);
                if (candidate && (first == null
                        || line.slots.get(line.onTheClock).position < first.slots.get(first.onTheClock).position)) {
                    first = line;
                }
            }
            if (first == null || !first.waits) {
                return;
            }
            Slot slot = first.slots.get(first.onTheClock++);
            slot.onTheClock = true;
            onTheClock++;
            clock.accept(slot);
        }
    }

    /** Takes a call out that waits for a permit, for its time is up; false where it waits no more. */
    synchronized boolean drop(Slot slot) {
        if (!slot.onTheClock) {
            return false;
        }
        for (Line line : lines) {
            if (line.permits == slot.permits) {
                leave(line, slot);
            }
        }
        return true;
    }

    private void leave(Line line, Slot slot) {
        if (slot.onTheClock) {
            slot.onTheClock = false;
            onTheClock--;
        }
        slot.hasLeft = true;
        while (!line.isEmpty() && line.slots.get(line.head).hasLeft) {
            line.head++;
        }
    }

    /** Notes that so many calls that were taken have ended. */
    synchronized void ended(int calls) {
        active -= calls;
    }

    /** Lets no further call start. */
    synchronized void close() {
        closed = true;
        for (Line line : lines) {
            line.head = line.slots.size();
            if (line.waits) {
                line.permits.forget(line);
            }
        }
    }
}
