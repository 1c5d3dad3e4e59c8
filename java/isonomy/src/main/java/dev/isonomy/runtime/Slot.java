// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import dev.isonomy.contract.CallRecord;
import dev.isonomy.contract.ToolCall;
import dev.isonomy.tools.BoundTool;
import java.time.Instant;

/**
 * One call of a batch: who may start it, who may end it (clause 8.9), and its record once it has one. A call is started
 * once and ended once, by its body, its deadline or its caller; the losers find out here. Safe for use by several
 * threads.
 */
final class Slot {

    private enum State {
        /** Nobody started the body. */
        WAITING,
        /** The body runs. */
        RUNNING,
        /** The body ended the call. */
        RETURNED,
        /** The deadline or the caller ended the call; the body may still run, or never has. */
        ABANDONED
    }

    final int position;
    final ToolCall call;
    /** Null where nobody has the tool. */
    final BoundTool tool;
    /** The permits of the tool that this call needs one of, or null. */
    final Permits permits;

    private State state = State.WAITING;
    private Thread thread;
    private boolean interrupted;

    /** Set when the call is handed over; read after that only. */
    Instant startedAt;
    long startedNanos;
    /** Whether a permit is held; touched by whoever launches the call, then by whoever prevents or ends the body. */
    boolean holdsPermit;
    /** Whether it left its line, and waits with its time running; guarded by {@link Turns}. */
    boolean hasLeft;
    boolean onTheClock;
    /** When the call must have ended, a time of {@link System#nanoTime}; 0: no deadline. Set when it is its turn. */
    long endsAt;
    /** Set by whoever ended the call. */
    volatile CallRecord record;

    Slot(int position, ToolCall call, BoundTool tool, Permits permits) {
        this.position = position;
        this.call = call;
        this.tool = tool;
        this.permits = permits;
    }

    /** The server of the tool, or null. */
    String server() {
        return tool == null ? null : tool.spec().server();
    }

    /**
     * Hands the call to the current thread, unless somebody prevented it.
     *
     * @param handOver what is told of it; done before anybody can end the call, so that events stay in order
     */
    synchronized boolean begin(Runnable handOver) {
        if (state != State.WAITING) {
            return false;
        }
        handOver.run();
        state = State.RUNNING;
        thread = Thread.currentThread();
        return true;
    }

    /** Does something before anybody can end the call; nothing where it has ended, or has not begun. */
    synchronized void whileRunning(Runnable action) {
        if (state == State.RUNNING) {
            action.run();
        }
    }

    /** Ends the call for its body, unless somebody was faster. */
    synchronized boolean returned() {
        if (state != State.RUNNING) {
            return false;
        }
        state = State.RETURNED;
        return true;
    }

    /** Makes sure that the body never starts; false where it has, or where that was made sure of before. */
    synchronized boolean prevent() {
        if (state != State.WAITING) {
            return false;
        }
        state = State.ABANDONED;
        return true;
    }

    /** Ends a call that runs, for its deadline or its caller, unless somebody was faster. */
    synchronized boolean abandon() {
        if (state != State.RUNNING) {
            return false;
        }
        state = State.ABANDONED;
        return true;
    }

    /** Whether the deadline or the caller ended the call. */
    synchronized boolean isAbandoned() {
        return state == State.ABANDONED;
    }

    /** Gives the permit back, where one is held. */
    void freePermit() {
        if (holdsPermit) {
            holdsPermit = false;
            permits.release();
        }
    }

    /** Says that the body has left its thread, which from then on is not interrupted for this call. */
    synchronized void leave() {
        thread = null;
    }

    /** Interrupts the body, once, if it is still on its thread; called by whoever abandoned the call. */
    synchronized void interrupt() {
        if (thread != null && !interrupted && thread != Thread.currentThread()) {
            interrupted = true;
            thread.interrupt();
        }
    }
}
