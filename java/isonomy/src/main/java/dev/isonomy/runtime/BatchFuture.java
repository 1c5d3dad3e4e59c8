// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

/** The answer to a batch that is on its way. Who cancels it, or completes it otherwise, cancels the batch. */
final class BatchFuture<T> extends CompletableFuture<T> {

    private final OnThreads run;

    BatchFuture(OnThreads run) {
        this.run = run;
        whenComplete((answer, thrown) -> run.stop(new CancellationException("nobody waits for the answer any more")));
    }

    /** Cancels the batch; false where every call has ended already, and the answer with its event comes. */
    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        if (isDone()) {
            return isCancelled();
        }
        if (!run.stop(new CancellationException("the caller cancelled"))) {
            return false;
        }
        super.cancel(mayInterruptIfRunning);
        return isCancelled();
    }

    /** What is made of the answer is not the batch. */
    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }
}
