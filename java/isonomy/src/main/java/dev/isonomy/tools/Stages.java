// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.contract.Outcome;
import dev.isonomy.contract.Returned;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/** Awaits what a body returned, once (clause 3.5). */
public final class Stages {

    private Stages() {}

    /** The stage that a body returned in place of its result, or null. */
    public static CompletionStage<?> of(Outcome outcome) {
        return outcome instanceof Returned returned && returned.value() instanceof CompletionStage<?> stage
                ? stage
                : null;
    }

    /**
     * Has {@code ended} called with the outcome of a stage, or with what is no outcome, by whichever thread completes
     * the stage; once, also where a stage of the tool's own make tells its end several times.
     */
    public static void whenEnded(
            CompletionStage<?> stage, Predicate<Throwable> passing, BiConsumer<Outcome, NoOutcome> ended) {
        AtomicBoolean told = new AtomicBoolean();
        Outcome registered = Boundary.run(
                () -> stage.whenComplete((value, thrown) -> {
                    if (told.getAndSet(true)) {
                        return;
                    }
                    try {
                        ended.accept(
                                thrown == null
                                        ? Boundary.run(() -> value, passing)
                                        : Boundary.caught(thrown, passing),
                                null);
                    } catch (NoOutcome signal) {
                        ended.accept(null, signal);
                    }
                }),
                Boundary.NOTHING_PASSES);
        if (!(registered instanceof Returned) && !told.getAndSet(true)) {
            // A stage of the tool's own make that refuses to be awaited.
            ended.accept(registered, null);
        }
    }

    /**
     * Waits for a stage on the caller's thread.
     *
     * @throws InterruptedException the caller was interrupted meanwhile
     * @throws NoOutcome the stage ended with what passes
     */
    public static Outcome await(CompletionStage<?> stage, Predicate<Throwable> passing) throws InterruptedException {
        CountDownLatch latch = new CountDownLatch(1);
        Outcome[] outcome = new Outcome[1];
        NoOutcome[] signal = new NoOutcome[1];
        whenEnded(stage, passing, (ended, none) -> {
            outcome[0] = ended;
            signal[0] = none;
            latch.countDown();
        });
        if (latch.getCount() > 0) { // one that has ended is no wait that a set interrupt status could end
            latch.await();
        }
        if (signal[0] != null) {
            throw signal[0];
        }
        return outcome[0];
    }
}
