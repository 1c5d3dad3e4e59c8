// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import dev.isonomy.contract.Limits;
import dev.isonomy.contract.Outcome;
import dev.isonomy.tools.Boundary;
import dev.isonomy.tools.Invocation;
import dev.isonomy.tools.NoOutcome;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** What both ways of running a batch need of their executor: how one body is called. Immutable. */
final class Calls {

    final ToolExecutor executor;
    final Funnel funnel;
    /** The host's values by name (clause 7.13). */
    private final Map<String, Object> injected;
    private final List<Class<? extends Throwable>> signals;
    private final Limits limits;
    /** Whether a throwable is a control signal of the host's framework (clause 8.10). */
    final Predicate<Throwable> isSignal = this::isSignal;

    Calls(
            ToolExecutor executor, Funnel funnel, Map<String, Object> injected,
            List<Class<? extends Throwable>> signals, Limits limits) {
        this.executor = executor;
        this.funnel = funnel;
        this.injected = injected;
        this.signals = signals;
        this.limits = limits;
    }

    /** What the tool of a slot is invoked with. */
    Invocation invocation(Slot slot, CallContext context, Predicate<Throwable> passing) {
        return new Invocation(slot.call.arguments(), injected, context, passing, limits);
    }

    /**
     * Runs the body of a slot on this thread.
     *
     * @throws NoOutcome the body threw what passes
     */
    Outcome invoke(Slot slot, Invocation invocation) {
        Scope before = Scope.enter(executor);
        try {
            return Boundary.invoke(slot.tool, invocation);
        } finally {
            Scope.leave(before);
            slot.leave();
        }
    }

    /** Throws what a body threw in place of an outcome, of whatever type it is. */
    static <T extends Throwable> void rethrow(Throwable signal) throws T {
        @SuppressWarnings("unchecked") // unchecked on purpose: the host registered the type and knows it
        T thrown = (T) signal;
        throw thrown;
    }

    private boolean isSignal(Throwable thrown) {
        for (int i = 0; i < signals.size(); i++) {
            if (signals.get(i).isInstance(thrown)) {
                return true;
            }
        }
        return false;
    }
}
