// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import dev.isonomy.contract.ExecutionEvent;
import dev.isonomy.contract.Outcome;
import dev.isonomy.contract.Settled;
import dev.isonomy.tools.Invocation;
import dev.isonomy.tools.NoOutcome;
import dev.isonomy.tools.Stages;
import java.util.concurrent.CompletionStage;

/**
 * Runs the calls of one batch in order on the caller's own thread (clause 8.12). The caller's interruption is looked
 * for before each call and after the last; what a body returned is finished first (clause 8.9).
 */
final class InOrder implements InFlight {

    private final Calls calls;
    private final Funnel funnel;
    private final Batch batch;
    private final Thread caller = Thread.currentThread();

    private Slot current;
    private boolean interrupted;
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
        try {
            for (Slot slot : batch.slots) {
                next(slot);
                Settled refusal = funnel.refusal(batch, slot);
                if (refusal != null) {
                    slot.prevent();
                    funnel.never(batch, slot, refusal);
                } else {
                    permitted(slot);
                }
            }
            next(null);
        } catch (InterruptedException cancelled) {
            throwIfClosed();
            throw cancelled;
        } finally {
            end();
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
        // A body that was told of its caller's interruption, and returned, may have cleared the thread's own flag.
        interrupted = context.sawInterrupt();
        if (slot.returned()) {
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
        if (Thread.interrupted() || interrupted) {
            throw new InterruptedException("the caller was interrupted");
        }
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
    }
}
