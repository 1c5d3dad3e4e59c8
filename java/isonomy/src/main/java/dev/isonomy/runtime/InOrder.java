// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import dev.isonomy.contract.ExecutionEvent;
import dev.isonomy.contract.NotClaimed;
import dev.isonomy.contract.Outcome;
import dev.isonomy.contract.Settled;
import dev.isonomy.tools.Invocation;
import dev.isonomy.tools.NoOutcome;
import dev.isonomy.tools.Stages;
import java.util.concurrent.CompletionStage;

/**
 * Runs the calls of one batch in order on the caller's own thread (clause 8.12), whose interruption is looked for before
 * each call.
 *
 * <p>A body shares that thread's interrupt status. One that is found set when a body has returned may be the caller's,
 * or was set by the body itself; nobody can tell. So nothing is taken for granted (clause 8.9): the body's response is
 * kept, no further call starts, and the status stays set for the caller, which gets its records.
 */
final class InOrder implements InFlight {

    private final Calls calls;
    private final Funnel funnel;
    private final Batch batch;
    private final Thread caller = Thread.currentThread();

    private Slot current;
    /** Whether a body left the thread interrupted. */
    private boolean leftInterrupted;
    private boolean closed;
    private boolean over;

    InOrder(Calls calls, Batch batch) {
        this.calls = calls;
        this.funnel = calls.funnel;
        this.batch = batch;
    }

    /**
     * Runs the batch; every call has a record afterwards.
     *
     * @throws InterruptedException the caller was interrupted
     * @throws ExecutorClosed the executor was closed meanwhile
     */
    void run() throws InterruptedException {
        boolean ended = false;
        try {
            if (batch.claiming != null) {
                resume();
            }
            for (Slot slot : batch.slots) {
                if (slot.record != null) {
                    continue;
                }
                next(slot);
                Settled refusal = leftInterrupted && !batch.isStopped()
                        ? Funnel.INTERRUPTED
                        : funnel.refusal(batch, slot);
                if (refusal != null) {
                    slot.prevent();
                    funnel.never(batch, slot, refusal);
                } else {
                    permitted(slot);
                }
            }
            throwIfClosed();
            ended = true;
        } catch (InterruptedException | NotClaimed cancelled) {
            throwIfClosed();
            throw cancelled;
        } finally {
            end();
            if (batch.durable != null) {
                batch.durable.over(ended);
            }
        }
    }

    /** Becomes the owner of a batch that is kept, and tells what is reused of it. */
    private void resume() throws InterruptedException {
        next(null);
        Durable durable = batch.claiming.claim(() -> !isClosed());
        batch.durable = durable;
        for (Durable.Reused each : durable.reused()) {
            Slot slot = batch.slots[each.position()];
            slot.prevent();
            funnel.reused(batch, slot, each);
        }
    }

    private void permitted(Slot slot) throws InterruptedException {
        if (slot.permits != null) {
            slot.permits.take();
            slot.holdsPermit = true;
        }
        try {
            one(slot);
        } finally {
            slot.freePermit();
        }
    }

    private void one(Slot slot) throws InterruptedException {
        if (!slot.begin(() -> funnel.begin(batch, slot))) {
            throw new ExecutorClosed();
        }
        CallContext context = new CallContext(batch, slot, funnel, caller);
        Invocation invocation = calls.invocation(
                slot, context, thrown -> calls.isSignal.test(thrown) || Interruption.isCallers(thrown, context));
        Outcome outcome;
        try {
            outcome = calls.invoke(slot, invocation);
            CompletionStage<?> stage = Stages.of(outcome);
            if (stage != null) {
                outcome = Stages.await(stage, calls.isSignal);
            }
        } catch (NoOutcome none) {
            Throwable signal = none.signal();
            cancelled(slot, calls.isSignal.test(signal) ? ExecutionEvent.SUSPENDED : ExecutionEvent.CANCELLED);
            Calls.<InterruptedException>rethrow(signal);
            throw none;
        } catch (InterruptedException interrupted) {
            cancelled(slot, ExecutionEvent.CANCELLED);
            throw interrupted;
        }
        // A body that was told by its context may have cleared the status that it was told of.
        boolean interrupted = context.sawInterrupt() || caller.isInterrupted();
        if (slot.returned()) {
            leftInterrupted = interrupted;
            funnel.end(batch, slot, outcome, invocation.decoded());
        } else {
            funnel.late(slot);
            throw new ExecutorClosed();
        }
    }

    private void cancelled(Slot slot, String reason) {
        if (slot.abandon()) {
            funnel.cancelled(batch, slot, reason);
        }
    }

    private synchronized void next(Slot slot) throws InterruptedException {
        current = slot;
        throwIfClosed();
        if (!leftInterrupted && Thread.interrupted()) {
            throw new InterruptedException("the caller was interrupted");
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private synchronized void throwIfClosed() {
        if (closed) {
            throw new ExecutorClosed();
        }
    }

    @Override
    public synchronized void close() {
        if (over || closed) {
            return;
        }
        closed = true;
        if (current != null && !current.prevent()) {
            cancelled(current, ExecutionEvent.CANCELLED);
        }
        // The one way to reach a body that waits; end() takes it back where it comes too late.
        caller.interrupt();
    }

    private synchronized void end() {
        over = true;
        if (closed) {
            Thread.interrupted();
        }
        if (leftInterrupted) {
            caller.interrupt();
        }
    }
}
