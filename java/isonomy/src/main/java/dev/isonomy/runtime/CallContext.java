// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import dev.isonomy.contract.Progress;
import dev.isonomy.tools.ToolContext;
import java.time.Duration;
import java.util.Optional;

/** What a body may ask about the call of a slot. */
final class CallContext implements ToolContext {

    private final Batch batch;
    private final Slot slot;
    private final Funnel funnel;
    /** The thread of a caller that runs the body itself, whose interruption is the cancellation; else null. */
    private final Thread caller;
    private volatile boolean callerInterrupted;

    CallContext(Batch batch, Slot slot, Funnel funnel, Thread caller) {
        this.batch = batch;
        this.slot = slot;
        this.funnel = funnel;
        this.caller = caller;
    }

    @Override
    public String callId() {
        return slot.call.callId();
    }

    @Override
    public String tool() {
        return slot.call.tool();
    }

    @Override
    public int attempt() {
        return 1;
    }

    @Override
    public Optional<Duration> remaining() {
        return slot.endsAt == 0
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(Math.max(0, slot.endsAt - System.nanoTime())));
    }

    @Override
    public boolean cancelled() {
        if (caller != null && caller.isInterrupted()) {
            callerInterrupted = true;
        }
        return callerInterrupted || slot.isAbandoned();
    }

    /** Whether the body was told here that its caller was interrupted. */
    boolean sawInterrupt() {
        return callerInterrupted;
    }

    @Override
    public void progress(double progress, Double total, String message) {
        funnel.progress(batch, slot, new Progress(progress, total, message));
    }

    @Override
    public System.Logger logger() {
        return System.getLogger("dev.isonomy.tool." + slot.call.tool());
    }
}
