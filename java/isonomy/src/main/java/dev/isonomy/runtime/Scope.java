// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Which body the current thread runs, so that a call made by a body knows that it is nested: it needs no permit of its
 * own, and one thread stands in for the body's, which is blocked meanwhile (clause 8.7). A body that hands its work to
 * a thread of its own hands on no scope.
 */
final class Scope {

    /**
     * Bodies inside each other on one thread. A tool that calls itself for ever is to end in a failure of its own, and
     * not by using up the stack under the runtime's feet.
     */
    private static final int MAX_DEPTH = 32;

    private static final ThreadLocal<Scope> CURRENT = new ThreadLocal<>();

    private final ToolExecutor executor;
    private final Scope outer;
    private final int depth;
    private final AtomicBoolean standIn = new AtomicBoolean(true);

    private Scope(ToolExecutor executor, Scope outer) {
        this.executor = executor;
        this.outer = outer;
        this.depth = outer == null ? 1 : outer.depth + 1;
    }

    /** The body that the current thread runs for {@code executor}, the innermost, or null. */
    static Scope of(ToolExecutor executor) {
        Scope scope = CURRENT.get();
        while (scope != null && scope.executor != executor) {
            scope = scope.outer;
        }
        return scope;
    }

    /** Enters a body on the current thread and returns what {@link #leave} takes. */
    static Scope enter(ToolExecutor executor) {
        Scope before = CURRENT.get();
        CURRENT.set(new Scope(executor, before));
        return before;
    }

    /** Leaves the body that was entered last. */
    static void leave(Scope before) {
        CURRENT.set(before);
    }

    /** Whether no call may be made from inside this body. */
    boolean isDeepest() {
        return depth >= MAX_DEPTH;
    }

    /** Takes the right to one thread above the limit, which stands in for the blocked one. */
    boolean takeStandIn() {
        return standIn.compareAndSet(true, false);
    }

    /** Gives the right back once the body on that thread has ended. */
    void returnStandIn() {
        standIn.set(true);
    }
}
