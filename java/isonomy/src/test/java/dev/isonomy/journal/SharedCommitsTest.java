// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.journal;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.contract.JournalException;
import dev.isonomy.contract.LeaseLost;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Writes of several threads: one commit for all that came while another went on. */
@Timeout(60)
final class SharedCommitsTest {

    private final List<List<Integer>> commits = new ArrayList<>();
    private final CountDownLatch inside = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    private List<JournalException> commit(List<Integer> writes) {
        commits.add(writes);
        if (commits.size() == 1) {
            inside.countDown();
            try {
                assertTrue(goOn.await(20, SECONDS));
            } catch (InterruptedException stray) {
                throw new AssertionError(stray);
            }
        }
        if (writes.contains(13)) {
            throw new JournalException("disk full");
        }
        JournalException[] ended = new JournalException[writes.size()];
        for (int i = 0; i < ended.length; i++) {
            ended[i] = writes.get(i) < 0 ? new LeaseLost("lost " + writes.get(i)) : null;
        }
        return Arrays.asList(ended);
    }

    /** Brings one write, and the others while that goes on. */
    private List<Future<?>> bring(SharedCommits<Integer> shared, int first, int... others) throws InterruptedException {
        List<Future<?>> all = new ArrayList<>();
        all.add(threads.submit(() -> shared.write(first)));
        assertTrue(inside.await(20, SECONDS));
        for (int other : others) {
            all.add(threads.submit(() -> shared.write(other)));
        }
        while (shared.waiting() < others.length) {
            Thread.onSpinWait();
        }
        goOn.countDown();
        return all;
    }

    @Test
    void whatComesMeanwhileIsOneCommit() throws Exception {
        SharedCommits<Integer> shared = new SharedCommits<>(this::commit);
        for (Future<?> each : bring(shared, 0, 1, 2, 3)) {
            each.get(20, SECONDS);
        }
        assertEquals(2, commits.size());
        assertEquals(List.of(0), commits.get(0));
        assertEquals(List.of(1, 2, 3), commits.get(1).stream().sorted().toList());
        shared.write(4);
        assertEquals(List.of(4), commits.get(2));
    }

    @Test
    void eachGetsWhatBecameOfItsOwn() throws Exception {
        SharedCommits<Integer> shared = new SharedCommits<>(this::commit);
        List<Future<?>> all = bring(shared, -1, 2, -3);
        assertEquals("lost -1", failure(all.get(0)).getMessage());
        all.get(1).get(20, SECONDS);
        assertEquals("lost -3", failure(all.get(2)).getMessage());
    }

    @Test
    void allGetWhyNothingWasWritten() throws Exception {
        SharedCommits<Integer> shared = new SharedCommits<>(this::commit);
        List<Future<?>> all = bring(shared, 0, 13, 14);
        all.get(0).get(20, SECONDS);
        assertEquals("disk full", failure(all.get(1)).getMessage());
        assertEquals("disk full", failure(all.get(2)).getMessage());
        shared.write(15);
        assertEquals("disk full", assertThrows(JournalException.class, () -> shared.write(13)).getMessage());
    }

    private static Throwable failure(Future<?> write) {
        return assertThrows(ExecutionException.class, () -> write.get(20, SECONDS)).getCause();
    }
}
