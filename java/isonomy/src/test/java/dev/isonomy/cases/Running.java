// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.cases;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.contract.Event;
import dev.isonomy.contract.ResponseEvent;
import dev.isonomy.contract.ToolCall;
import dev.isonomy.contract.ToolRequest;
import dev.isonomy.contract.Wire;
import dev.isonomy.observe.MemorySink;
import dev.isonomy.runtime.BatchOptions;
import dev.isonomy.runtime.ToolExecutor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Every way to run a batch: blocking or with a future, in order or in parallel, with a deadline or without. */
record Running(boolean blocking, BatchOptions options) {

    /** Far beyond what any machine needs. */
    static final long LIMIT_SECONDS = 60;

    static Stream<Running> ways() {
        Duration deadline = Duration.ofSeconds(LIMIT_SECONDS);
        List<BatchOptions> options = List.of(
                BatchOptions.DEFAULT,
                BatchOptions.DEFAULT.withCallDeadline(deadline),
                BatchOptions.inParallel(4),
                BatchOptions.inParallel(4).withDeadline(deadline));
        return options.stream().flatMap(each -> Stream.of(new Running(true, each), new Running(false, each)));
    }

    ResponseEvent run(ToolExecutor executor, List<ToolCall> calls) throws Exception {
        return run(executor, calls, options);
    }

    ResponseEvent run(ToolExecutor executor, List<ToolCall> calls, BatchOptions with) throws Exception {
        ToolRequest request = new ToolRequest(null, calls);
        return blocking
                ? executor.run(request, with)
                : executor.runAsync(request, with).get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    static ToolCall call(String tool, Object arguments) {
        return new ToolCall(null, tool, arguments);
    }

    static void await(CountDownLatch latch) throws InterruptedException {
        assertTrue(latch.await(LIMIT_SECONDS, TimeUnit.SECONDS), "it hangs");
    }

    /** Everything that sinks were told, as they would write it and as they would print it. */
    static String told(MemorySink memory) {
        StringBuilder all = new StringBuilder();
        for (Event event : memory.events()) {
            all.append(new String(Wire.encode(event), StandardCharsets.UTF_8)).append('\n').append(event).append('\n');
        }
        return all.toString();
    }
}
