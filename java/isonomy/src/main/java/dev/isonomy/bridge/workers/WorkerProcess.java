// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.bridge.workers;

import dev.isonomy.contract.ChildProcess;
import dev.isonomy.contract.Effect;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.ProcessEnd;
import dev.isonomy.contract.Settled;
import dev.isonomy.contract.ToolError;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** One worker that is ready: the process, its connection, and how both end. */
final class WorkerProcess {

    /** In this time the end of a process follows the end of its connection. */
    private static final long BETWEEN_MILLIS = 50;
    /** In this time a killed process ends. */
    private static final long DEAD_MILLIS = 2_000;

    final Link link;
    /** What it told of its tools (W3.4). */
    final List<Map<String, Object>> tools;
    final long readyAt = System.nanoTime();
    private final Process process;
    private volatile boolean killed;

    // Guarded by the lock of the pool.
    /** Calls that it was given and has not answered. */
    final Set<Pending> given = new HashSet<>();
    /** Those of them that nobody waits for and whose grace is over. */
    final Set<Pending> overdue = new HashSet<>();
    /** Whether it was ever given a call. */
    boolean hasServed;
    /** Whether it gets no further call. */
    boolean retired;

    WorkerProcess(Process process, Link link, List<Map<String, Object>> tools) {
        this.process = process;
        this.link = link;
        this.tools = tools;
    }

    /** Has {@code ended} told, on a thread of its own, when the process has ended. */
    void watch(Consumer<WorkerProcess> ended) {
        link.whenOver(this::endWithConnection);
        Thread thread = new Thread(
                () -> {
                    join();
                    link.exited();
                    ended.accept(this);
                },
                "isonomy-worker-" + process.pid());
        thread.setDaemon(true);
        thread.start();
    }

    /** A process that does not end with its connection is of no use, and must make room for another. */
    private void endWithConnection() {
        if (process.isAlive()) {
            Thread thread = new Thread(this::lost, "isonomy-worker-" + process.pid() + "-end");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void join() {
        while (true) {
            try {
                process.waitFor();
                return;
            } catch (InterruptedException notMeantForUs) {
                // the process still has to be waited for
            }
        }
    }

    long pid() {
        return process.pid();
    }

    /** Whether it can be given a call, as far as is known. */
    boolean isUsable() {
        return !retired && process.isAlive() && !link.isOver();
    }

    /** Ends the process, and what its tools started, at once. */
    void kill() {
        link.end(); // first, so that nothing of it is taken for an answer any more
        ChildProcess.of(process).kill();
    }

    /** Waits for the end of the process; false where that took longer. An interrupt is kept for later. */
    boolean hasEnded(long millis) {
        return ChildProcess.of(process).hasEnded(millis);
    }

    /** The outcome of a call that was lost with this worker (W5.1). */
    Settled lost() {
        if (!hasEnded(BETWEEN_MILLIS)) {
            killed = true;
            kill();
            hasEnded(DEAD_MILLIS);
        }
        if (killed || process.isAlive()) {
            return Settled.of(ErrorKind.CONNECTION_LOST, "the worker ended (the connection broke)", Effect.POSSIBLE);
        }
        ProcessEnd end = ProcessEnd.of(process.exitValue());
        return new Settled(ToolError.builder(ErrorKind.CONNECTION_LOST, "the worker ended (" + end.words() + ")")
                .effect(Effect.POSSIBLE)
                .details(end.details())
                .build());
    }
}
