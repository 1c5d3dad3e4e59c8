// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.journal;

import dev.isonomy.contract.JournalException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * Writes what several threads bring with as few commits as can be (clause J4.4). Whoever comes first commits for all
 * that have come by then, in its own thread; the others wait for it, and one of those that came meanwhile is next. There
 * is no thread of its own, and a single writer pays for a lock. Safe for use by several threads, whose interruption
 * changes nothing.
 *
 * @param <W> what is written
 */
final class SharedCommits<W> {

    /** One write on its way; what became of it is said once it is {@code done}. */
    private static final class Waiting<W> {
        private final W write;
        private boolean done;
        private JournalException failed;

        Waiting(W write) {
            this.write = write;
        }
    }

    private final Function<List<W>, List<JournalException>> commit;
    private final ReentrantLock one = new ReentrantLock();
    private final AtomicInteger coming = new AtomicInteger();
    private List<Waiting<W>> next = new ArrayList<>();

    /**
     * @param commit writes a list in one commit, and gives for each null or why it was not written; throws a
     *     {@link JournalException} where nothing was
     */
    SharedCommits(Function<List<W>, List<JournalException>> commit) {
        this.commit = commit;
    }

    /**
     * Returns once a write is committed.
     *
     * @throws JournalException what {@code commit} gave or threw for it
     */
    void write(W write) {
        JournalException failed = coming.get() == 0 && one.tryLock() ? alone(write) : together(write);
        if (failed != null) {
            throw failed;
        }
    }

    /** How many writes wait for the commit that goes on. */
    int waiting() {
        return coming.get();
    }

    private JournalException alone(W write) {
        try {
            return commit.apply(List.of(write)).get(0);
        } finally {
            one.unlock();
        }
    }

    private JournalException together(W write) {
        Waiting<W> mine = new Waiting<>(write);
        synchronized (coming) {
            coming.incrementAndGet();
            next.add(mine);
        }
        one.lock();
        try {
            if (!mine.done) {
                List<Waiting<W>> all;
                synchronized (coming) {
                    all = next;
                    next = new ArrayList<>();
                    coming.set(0);
                }
                carryOut(all);
            }
            return mine.failed;
        } finally {
            one.unlock();
        }
    }

    /** Writes for several threads, each of which reads what became of its own with the lock held. */
    private void carryOut(List<Waiting<W>> all) {
        List<W> writes = new ArrayList<>(all.size());
        all.forEach(each -> writes.add(each.write));
        List<JournalException> ended = null;
        JournalException broken = null;
        try {
            ended = commit.apply(writes);
        } catch (JournalException failed) {
            broken = failed;
        } finally {
            for (int i = 0; i < all.size(); i++) {
                Waiting<W> each = all.get(i);
                each.done = true;
                each.failed = ended != null ? ended.get(i) : broken != null ? broken : unknown();
            }
        }
    }

    private static JournalException unknown() {
        return new JournalException("the commit that this write shared with others did not end");
    }
}
