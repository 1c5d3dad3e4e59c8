// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import dev.isonomy.contract.ExecutionEvent;
import dev.isonomy.contract.NotClaimed;
import dev.isonomy.contract.Outcome;
import dev.isonomy.contract.ResponseEvent;
import dev.isonomy.contract.Settled;
import dev.isonomy.tools.Invocation;
import dev.isonomy.tools.NoOutcome;
import dev.isonomy.tools.Stages;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

/**
 * Runs the calls of one batch on the executor's threads, so many at once as the batch allows, each until its body ends
 * or its deadline passes. Nothing here waits: whatever ends a call starts the next one.
 *
 * <p>{@code open} counts the calls whose end has not been told, and the claim of a batch that is kept. It reaches zero
 * once, and that ends the batch: with its response event, or with what ended it early.
 */
final class OnThreads implements InFlight {

    private final Calls calls;
    private final Funnel funnel;
    private final WorkerThreads threads;
    private final Deadlines deadlines;
    private final Batch batch;
    private final long batchEndsAt;
    /** The caller's: a body finds the services of its host wherever it runs. */
    private final ClassLoader classes = Thread.currentThread().getContextClassLoader();
    /** By position; set when it is a call's turn, and read to take it back. */
    private final Job[] jobs;
    private final Turns turns;
    private final CompletableFuture<ResponseEvent> done = new CompletableFuture<>();
    private Future<?> batchDeadline;

    // Guarded by this object's lock, which is never held while a tool, a sink or a future's reader runs.
    private int open;
    private boolean claimOpen;
    private Throwable early;

    OnThreads(Calls calls, WorkerThreads threads, Deadlines deadlines, Batch batch) {
        this.calls = calls;
        this.funnel = calls.funnel;
        this.threads = threads;
        this.deadlines = deadlines;
        this.batch = batch;
        this.jobs = new Job[batch.slots.length];
        this.claimOpen = batch.claiming != null;
        this.open = batch.slots.length + (claimOpen ? 1 : 0);
        this.turns = new Turns(batch, this::granted, this::startClock);
        this.batchEndsAt =
                batch.options.deadline() == null ? 0 : System.nanoTime() + Deadlines.nanos(batch.options.deadline());
    }

    /** Starts the batch and returns what it ends with: its response event, or what ended it early. */
    CompletableFuture<ResponseEvent> start() {
        if (batch.slots.length == 0 && batch.claiming == null) {
            done.complete(funnel.answered(batch));
            return done;
        }
        if (batchEndsAt != 0) {
            batchDeadline = deadlines.at(batchEndsAt, () -> aside(this::expireBatch));
        }
        if (batch.claiming == null) {
            turns.open();
            dispatch();
        } else {
            claim();
        }
        return done;
    }

    /**
     * Ends the batch early: calls that run are cancelled, no other is started. Does nothing once every call has ended.
     *
     * @return whether the batch ends early, by this or before
     */
    boolean stop(Throwable why) {
        synchronized (this) {
            if (early != null || open == 0) {
                return early != null;
            }
            early = why;
        }
        turns.close();
        int told = takeClaim();
        for (Slot slot : batch.slots) {
            stopClock(slot);
            if (slot.prevent()) {
                slot.freePermit();
                told++;
            } else if (slot.abandon()) {
                funnel.cancelled(batch, slot, ExecutionEvent.CANCELLED);
                slot.interrupt();
                told++;
            }
        }
        told(told, 0);
        return true;
    }

    @Override
    public void close() {
        stop(new ExecutorClosed());
    }

    // Resuming ------------------------------------------------------------------------------------

    /** Claims the batch on a thread, which may have to wait for another owner. */
    private void claim() {
        boolean above = batch.parent != null && batch.parent.takeStandIn();
        Runnable job = () -> {
            try {
                resume();
            } finally {
                returnStandIn(above);
            }
        };
        if (!threads.submit(job, above)) {
            returnStandIn(above);
            int told = takeClaim();
            for (Slot slot : batch.slots) {
                if (slot.prevent()) {
                    funnel.never(batch, slot, Funnel.NO_THREAD);
                    told++;
                }
            }
            told(told, 0);
        }
    }

    private void returnStandIn(boolean above) {
        if (above) {
            batch.parent.returnStandIn();
        }
    }

    private void resume() {
        FutureTask<Durable> claim = new FutureTask<>(() -> batch.claiming.claim(this::isClaimOpen));
        claim.run();
        try {
            resume(claim.get());
        } catch (InterruptedException stray) { // nobody interrupts a thread that runs no body
            stop(stray);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof NotClaimed) {
                expireBatch(); // the clock may be late
            } else {
                stop(failed.getCause());
            }
        }
    }

    private void resume(Durable durable) {
        synchronized (this) {
            if (claimOpen) {
                batch.durable = durable;
            }
        }
        if (batch.durable == null) { // nobody wants it any more
            durable.over(false);
            return;
        }
        int told = 0;
        for (Durable.Reused each : durable.reused()) {
            Slot slot = batch.slots[each.position()];
            if (slot.prevent()) {
                funnel.reused(batch, slot, each);
                told++;
            }
        }
        turns.open();
        told(told + takeClaim(), 0);
    }

    private synchronized boolean isClaimOpen() {
        return claimOpen && !isLate();
    }

    /** Ends the claim for whoever calls this first; 1 for that one, else 0. */
    private synchronized int takeClaim() {
        int taken = claimOpen ? 1 : 0;
        claimOpen = false;
        return taken;
    }

    // Starting ------------------------------------------------------------------------------------

    private void dispatch() {
        for (Slot slot = next(); slot != null; slot = next()) {
            launch(slot);
        }
    }

    private Slot next() {
        return isLate() ? null : turns.take();
    }

    /** The clock may be late; what it would end at once is not begun. */
    private boolean isLate() {
        return batchEndsAt != 0 && batchEndsAt - System.nanoTime() <= 0;
    }

    /** Goes on with a call that waited for its permit. */
    private void granted(Slot slot) {
        if (isLate()) {
            never(slot, Funnel.TOO_LATE);
        } else {
            launch(slot);
        }
        dispatch();
    }

    private void launch(Slot slot) {
        Settled refusal = funnel.refusal(batch, slot);
        if (refusal != null) {
            never(slot, refusal);
            return;
        }
        if (jobs[slot.position] == null) {
            startClock(slot);
        }
        Job job = jobs[slot.position];
        job.above = batch.parent != null && batch.parent.takeStandIn();
        if (!threads.submit(job, job.above)) {
            job.withdrawn();
            never(slot, Funnel.NO_THREAD);
        }
    }

    private void startClock(Slot slot) {
        Job job = new Job(slot);
        jobs[slot.position] = job;
        slot.endsAt = endsAt(slot);
        if (slot.endsAt != batchEndsAt) {
            job.deadline = deadlines.at(slot.endsAt, () -> aside(() -> expired(slot)));
        }
    }

    /** Ends a call. What is kept is written first, which must not hold up the clock, or the thread of a tool's own. */
    private void aside(Runnable ending) {
        if (batch.durable == null) {
            ending.run();
        } else {
            Thread thread = new Thread(ending, "isonomy-ending");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void stopClock(Slot slot) {
        Job job = jobs[slot.position];
        if (job != null && job.deadline != null) {
            job.deadline.cancel(false);
        }
    }

    private long endsAt(Slot slot) {
        long now = System.nanoTime();
        long ends = earlier(batchEndsAt, batch.options.callDeadline() == null
                ? 0
                : now + Deadlines.nanos(batch.options.callDeadline()));
        return earlier(ends, slot.tool.spec().deadline() == null ? 0 : now + Deadlines.nanos(slot.tool.spec().deadline()));
    }

    private static long earlier(long one, long other) {
        return one == 0 ? other : other == 0 || one - other < 0 ? one : other;
    }

    // Running -------------------------------------------------------------------------------------

    /** One body on its way to a thread. */
    private final class Job implements Runnable {
        private final Slot slot;
        private volatile boolean above;
        private volatile Future<?> deadline;

        Job(Slot slot) {
            this.slot = slot;
        }

        @Override
        public void run() {
            Thread thread = Thread.currentThread();
            if (thread.getContextClassLoader() != classes) {
                thread.setContextClassLoader(classes);
            }
            try {
                if (slot.begin(() -> funnel.begin(batch, slot))) {
                    invoke();
                }
            } finally {
                withdrawn();
            }
        }

        private void invoke() {
            CallContext context = new CallContext(batch, slot, funnel, null);
            Invocation invocation = calls.invocation(slot, context, calls.isSignal);
            Outcome outcome;
            try {
                outcome = calls.invoke(slot, invocation);
            } catch (NoOutcome signal) {
                ended(this, invocation, null, signal);
                return;
            }
            CompletionStage<?> stage = Stages.of(outcome);
            if (stage == null) {
                ended(this, invocation, outcome, null);
            } else {
                Thread own = Thread.currentThread();
                Stages.whenEnded(stage, calls.isSignal, (end, signal) -> {
                    if (Thread.currentThread() == own) {
                        ended(this, invocation, end, signal);
                    } else {
                        aside(() -> ended(this, invocation, end, signal));
                    }
                });
            }
        }

        /** Says that this job will not take a thread any more. */
        void withdrawn() {
            if (above) {
                above = false;
                batch.parent.returnStandIn();
            }
        }
    }

    private void ended(Job job, Invocation invocation, Outcome outcome, NoOutcome signal) {
        Slot slot = job.slot;
        slot.freePermit();
        stopClock(slot);
        if (signal != null) {
            if (slot.abandon()) {
                funnel.cancelled(batch, slot, ExecutionEvent.SUSPENDED);
                stop(signal.signal());
                told(1, 1);
            } else {
                funnel.late(slot);
            }
        } else if (slot.returned()) {
            funnel.end(batch, slot, outcome, invocation.decoded());
            told(1, 1);
        } else {
            funnel.late(slot);
        }
    }

    /** Ends a call whose deadline passed; returns 1 where that told its end, 0 where somebody was faster. */
    private int expire(Slot slot) {
        if (slot.prevent()) {
            Job job = jobs[slot.position];
            if (job != null) {
                threads.withdraw(job);
                job.withdrawn();
            }
            slot.freePermit();
            funnel.never(batch, slot, Funnel.TOO_LATE);
            return 1;
        }
        if (slot.abandon()) {
            funnel.end(batch, slot, Funnel.TIMEOUT, List.of());
            slot.interrupt();
            return 1;
        }
        return 0;
    }

    private void expired(Slot slot) {
        boolean waited = turns.drop(slot);
        if (expire(slot) == 1) {
            told(1, waited ? 0 : 1);
        }
    }

    /** Ends every call that has not ended, in request order; no further one starts. */
    private void expireBatch() {
        turns.close();
        int told = takeClaim();
        for (Slot slot : batch.slots) {
            told += expire(slot);
        }
        told(told, 0);
    }

    /** Ends a call that is being launched; the loop that launches it goes on by itself. */
    private void never(Slot slot, Settled outcome) {
        if (slot.prevent()) {
            stopClock(slot);
            slot.freePermit();
            funnel.never(batch, slot, outcome);
            endIfLast(1, 1);
        }
    }

    // Ending --------------------------------------------------------------------------------------

    /** Notes that the end of so many calls was told; ends the batch with the last, or starts the next. */
    private void told(int count, int fromActive) {
        if (!endIfLast(count, fromActive)) {
            dispatch();
        }
    }

    private boolean endIfLast(int count, int fromActive) {
        boolean last;
        turns.ended(fromActive);
        synchronized (this) {
            open -= count;
            last = count > 0 && open == 0;
        }
        if (!last) {
            return false;
        }
        turns.close();
        if (batchDeadline != null) {
            batchDeadline.cancel(false);
        }
        if (batch.durable != null) {
            batch.durable.over(early == null);
        }
        if (early != null) {
            done.completeExceptionally(early);
        } else {
            done.complete(funnel.answered(batch));
        }
        return true;
    }
}
