// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.bridge;

import dev.isonomy.contract.BridgeCall;
import dev.isonomy.contract.Progress;
import dev.isonomy.tools.ToolContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The call of a host in another language, as its body sees it. */
final class BridgeContext implements ToolContext {

    /** Further reports of progress are dropped: the envelope carries them all at the end. */
    private static final int MAX_PROGRESS = 100;

    /** A century, so that no sum of times overflows. */
    private static final long MAX_REMAINING_MS = TimeUnit.DAYS.toMillis(36_500);

    private final BridgeCall call;
    private final long endsAt;
    /** Told of progress as it comes, or null: the envelope carries it. */
    private final Consumer<Progress> live;
    /** Not the lock of this object: who is told may take long, and a cancellation does not wait for it. */
    private final Object telling = new Object();
    private volatile boolean cancelled;
    private List<Progress> progress = List.of();
    private Thread thread;
    private boolean left;

    BridgeContext(BridgeCall call, Consumer<Progress> live) {
        this.call = call;
        this.live = live;
        this.thread = Thread.currentThread();
        this.endsAt = call.remainingMs() == null ? 0 : System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(
                Math.min(call.remainingMs(), MAX_REMAINING_MS));
    }

    @Override
    public String callId() {
        return call.callId();
    }

    @Override
    public String tool() {
        return call.tool();
    }

    @Override
    public int attempt() {
        return call.attempt();
    }

    @Override
    public Optional<Duration> remaining() {
        return call.remainingMs() == null
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(Math.max(0, endsAt - System.nanoTime())));
    }

    @Override
    public boolean cancelled() {
        return cancelled;
    }

    @Override
    public void progress(double done, Double total, String message) {
        Progress step = new Progress(done, total, message);
        synchronized (telling) {
            if (left) {
                return;
            }
            if (live != null) {
                live.accept(step);
            } else if (progress.size() < MAX_PROGRESS) {
                if (progress.isEmpty()) {
                    progress = new ArrayList<>();
                }
                progress.add(step);
            }
        }
    }

    @Override
    public System.Logger logger() {
        return System.getLogger("dev.isonomy.tool." + call.tool());
    }

    /** Tells the body that nobody waits for it any more, and interrupts it once if it is still there. */
    synchronized void cancel() {
        if (!cancelled && thread != null) {
            cancelled = true;
            thread.interrupt();
        }
    }

    /** Says that the body has left its thread, and returns what it reported. */
    List<Progress> leave() {
        synchronized (this) {
            thread = null;
            if (cancelled) {
                // The host's thread is not to carry the interrupt of this call into its next.
                Thread.interrupted();
            }
        }
        synchronized (telling) {
            left = true;
            return progress;
        }
    }
}
