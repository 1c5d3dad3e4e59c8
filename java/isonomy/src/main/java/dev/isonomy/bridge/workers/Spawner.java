// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.bridge.workers;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Starts workers from a thread that lives as long as this process does.
 *
 * <p>Linux tells a child when the <em>thread</em> that started it has ended. So a worker may ask to be killed then, which
 * ends it with its host even where a body keeps the interpreter to itself in C code and nothing of the worker sees the
 * end of the connection (W1.3). Safe for use by several threads.
 */
final class Spawner {

    /** The variable that names its host to a worker that was started like this. */
    private static final String WITH_HOST = "ISONOMY_ENDS_WITH_HOST";

    private static final LinkedBlockingQueue<Job> JOBS = new LinkedBlockingQueue<>();

    static {
        Thread thread = new Thread(Spawner::run, "isonomy-spawner");
        thread.setDaemon(true);
        thread.start();
    }

    private Spawner() {}

    private record Job(ProcessBuilder builder, CompletableFuture<Started> started) {}

    /** A process, or why there is none. */
    private record Started(Process process, IOException failed) {}

    /**
     * Starts a process. An interrupt of the current thread is kept for later: a process that was started has an owner.
     *
     * @throws IOException as {@link ProcessBuilder#start}
     */
    static Process start(ProcessBuilder builder) throws IOException {
        builder.environment().put(WITH_HOST, Long.toString(ProcessHandle.current().pid()));
        CompletableFuture<Started> started = new CompletableFuture<>();
        JOBS.add(new Job(builder, started));
        Started how = started.join();
        if (how.failed() != null) {
            throw how.failed();
        }
        return how.process();
    }

    private static void run() {
        while (true) {
            try {
                Job job = JOBS.take();
                job.started().completeAsync(() -> started(job.builder()), Runnable::run);
            } catch (InterruptedException notMeantForUs) {
                // who interrupts all threads there are does not mean this one
            }
        }
    }

    private static Started started(ProcessBuilder builder) {
        try {
            return new Started(builder.start(), null);
        } catch (IOException failed) {
            return new Started(null, failed);
        }
    }
}
