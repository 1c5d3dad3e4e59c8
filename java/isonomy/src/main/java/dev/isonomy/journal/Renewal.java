// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.journal;

import dev.isonomy.contract.JournalException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the leases of one journal while they are held (clause J3.2). Its daemon thread begins with the first and ends
 * some time after the last. Safe for use by several threads.
 *
 * @param <L> a lease
 */
final class Renewal<L> {

    private static final Logger LOGGER = LoggerFactory.getLogger(Renewal.class);

    private final Consumer<List<L>> renew;
    private final long millis;
    private final Set<L> held = new HashSet<>();
    private Thread thread;
    private boolean closed;

    /**
     * @param renew renews leases; a {@link JournalException} of it is told to the log, and the next time comes
     * @param millis how often
     */
    Renewal(Consumer<List<L>> renew, long millis) {
        this.renew = renew;
        this.millis = Math.max(1, millis);
    }

    /** Renews a lease from now on. */
    synchronized void add(L lease) {
        held.add(lease);
        if (thread == null && !closed) {
            thread = new Thread(this::run, "isonomy-journal-lease");
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** Renews a lease no more. */
    synchronized void discard(L lease) {
        held.remove(lease);
    }

    /** Renews nothing more; more calls do nothing. */
    synchronized void close() {
        closed = true;
        held.clear();
        notifyAll();
    }

    private void run() {
        for (List<L> due = due(); due != null; due = due()) {
            if (due.isEmpty()) {
                continue;
            }
            try {
                renew.accept(due);
            } catch (JournalException failed) {
                LOGGER.warn("leases could not be renewed: {}", failed.getMessage());
            }
        }
    }

    /** Waits for the next time and gives what is held then; null where this thread is not needed any more. */
    private synchronized List<L> due() {
        boolean idle = held.isEmpty();
        long ends = System.nanoTime() + millis * 1_000_000;
        try {
            for (long left = millis; left > 0 && !closed; left = (ends - System.nanoTime()) / 1_000_000) {
                wait(left);
            }
        } catch (InterruptedException stray) { // nobody has this thread to interrupt it; the next lease starts another
            thread = null;
            return null;
        }
        if (closed || idle && held.isEmpty()) {
            thread = null;
            return null;
        }
        return new ArrayList<>(held);
    }
}
