// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import dev.isonomy.contract.Journal;
import dev.isonomy.contract.ResponseEvent;
import dev.isonomy.contract.ToolCall;
import dev.isonomy.contract.ToolRequest;
import dev.isonomy.journal.MemoryJournal;
import dev.isonomy.journal.SqliteJournal;
import dev.isonomy.journal.Synchronous;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A way to run a batch that is kept: blocking or with a future, and how; in which journal. */
record Way(boolean blocking, BatchOptions options, String kept) {

    private static final Duration LIMIT = Duration.ofSeconds(Hang.LIMIT_SECONDS);

    /** In order and in parallel, with deadlines and without, each in memory and in a file. */
    static Stream<Way> all() {
        return Stream.of(
                        BatchOptions.DEFAULT,
                        BatchOptions.inParallel(3),
                        BatchOptions.DEFAULT.withCallDeadline(LIMIT),
                        BatchOptions.inParallel(3).withDeadline(LIMIT))
                .flatMap(options -> Stream.of(true, false).flatMap(blocking -> Stream.of("memory", "FULL", "NORMAL")
                        .map(kept -> new Way(blocking, options, kept))));
    }

    /** In order, each in memory and in a file. */
    static Stream<Way> inOrder() {
        return all().filter(way -> way.options.parallel() == 1 && !way.kept.equals("NORMAL"));
    }

    Journal journal(Path folder) {
        return kept.equals("memory")
                ? new MemoryJournal()
                : SqliteJournal.open(folder.resolve("runs.db"), Synchronous.valueOf(kept), Journal.LEASE);
    }

    ResponseEvent run(ToolExecutor executor, String id, List<ToolCall> calls, Journal journal) throws Exception {
        return run(executor, id, calls, options.withJournal(journal));
    }

    /** Runs a batch; what a future ends with is thrown as the blocking call throws it. */
    ResponseEvent run(ToolExecutor executor, String id, List<ToolCall> calls, BatchOptions with) throws Exception {
        ToolRequest request = new ToolRequest(id, calls);
        if (blocking) {
            return executor.run(request, with);
        }
        try {
            return executor.runAsync(request, with).get(Hang.LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof RuntimeException cause ? cause : failed;
        }
    }

    @Override
    public String toString() {
        return (blocking ? "run" : "runAsync") + " parallel=" + options.parallel()
                + (options.deadline() != null || options.callDeadline() != null ? " timed " : " ") + kept;
    }
}
