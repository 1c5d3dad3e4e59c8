// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import dev.isonomy.contract.Limits;
import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.ResponseEvent;
import dev.isonomy.contract.SecretValues;
import dev.isonomy.contract.ToolCall;
import dev.isonomy.contract.ToolRequest;
import dev.isonomy.contract.ToolResponse;
import dev.isonomy.tools.BoundTool;
import dev.isonomy.tools.ToolRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;

/**
 * Runs calls of registered tools, alone or in batches, and gives each exactly one response. One executor serves calls
 * from several threads at once.
 *
 * <pre>{@code
 * try (ToolExecutor executor = ToolExecutor.of(Prices.class)) {
 *     ToolResponse response = executor.call("price", Map.of("sku", "a1"));
 *     response.unwrap();
 * }
 * }</pre>
 *
 * <p>Blocking calls run their bodies in order on the caller's own thread where there is no deadline; all others on
 * bounded daemon threads (clause 8.12). Interrupting the caller cancels: the calls that run get a {@code cancelled}
 * event, no other is started, and there is no response event (clause 8.9). A body on the caller's own thread that returns
 * and leaves that thread interrupted keeps its response: the caller gets its records, and its thread stays interrupted. A body that has run into its deadline, or
 * whose caller is gone, is interrupted once and told by its {@code ToolContext}; what it still returns is dropped and
 * counted.
 */
public final class ToolExecutor implements AutoCloseable {

    private final ToolRegistry tools;
    private final boolean ownsTools;
    private final Duration grace;
    private final Emitter emitter;
    private final Calls calls;
    private final Identities identities;
    private final WorkerThreads threads;
    private final Deadlines deadlines = new Deadlines();
    private final Map<String, Permits> permits = new HashMap<>();
    private final Set<InFlight> inFlight = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    ToolExecutor(ToolExecutorBuilder builder) {
        this.ownsTools = builder.registry == null;
        this.tools = ownsTools ? ToolRegistry.of(builder.tools.toArray()) : builder.registry;
        this.grace = builder.grace;
        this.emitter = new Emitter(builder.sinks);
        Limits limits = new Limits(builder.maxResultBytes, builder.strictValues);
        Funnel funnel = new Funnel(emitter, builder.redactor, secrets(builder.injected), limits);
        this.calls = new Calls(this, funnel, builder.injected, builder.signals, limits);
        this.identities = new Identities(builder.injected, builder.identityKey);
        this.threads = new WorkerThreads(builder.maxThreads);
        for (BoundTool tool : tools.all()) {
            if (tool.spec().maxParallel() > 0) {
                permits.put(tool.spec().name(), new Permits(tool.spec().maxParallel()));
            }
        }
    }

    /** What is secret of injected values: those that no parameter takes, or at least one as a secret (clause 12.5). */
    private SecretValues secrets(Map<String, Object> injected) {
        Map<String, Boolean> marked = new HashMap<>();
        for (BoundTool tool : tools.all()) {
            tool.spec().injected().values().forEach(each -> marked.merge(each.name(), each.secret(), Boolean::logicalOr));
        }
        List<Object> secrets = new ArrayList<>();
        injected.forEach((name, value) -> {
            if (marked.getOrDefault(name, true)) {
                secrets.add(value);
            }
        });
        return SecretValues.of(secrets);
    }

    /** An executor of these tools (as {@link ToolRegistry#of} takes them) with every setting at its default. */
    public static ToolExecutor of(Object... tools) {
        return builder().tools(tools).build();
    }

    /** A builder of an executor. */
    public static ToolExecutorBuilder builder() {
        return new ToolExecutorBuilder();
    }

    /** The tools. */
    public ToolRegistry tools() {
        return tools;
    }

    // One call ------------------------------------------------------------------------------------

    /**
     * Runs one call and returns its response; an unknown tool is a failure of kind {@code not_found}.
     *
     * @throws InterruptedException the caller was interrupted
     * @throws ExecutorClosed the executor is closed, or was closed meanwhile
     */
    public ToolResponse call(String tool, Map<String, ?> arguments) throws InterruptedException {
        return call(ToolCall.of(tool, arguments), null);
    }

    /**
     * Runs one call.
     *
     * @param deadline how long it may take, or null for as long as it likes
     */
    public ToolResponse call(ToolCall call, Duration deadline) throws InterruptedException {
        return run(batch(new ToolRequest(null, List.of(call)), alone(deadline))).records().get(0).response();
    }

    /** Runs one call on a thread of the executor; cancelling the future cancels the call. */
    public CompletableFuture<ToolResponse> callAsync(String tool, Map<String, ?> arguments) {
        return callAsync(ToolCall.of(tool, arguments), null);
    }

    /**
     * Runs one call on a thread of the executor.
     *
     * @param deadline how long it may take, or null for as long as it likes
     */
    public CompletableFuture<ToolResponse> callAsync(ToolCall call, Duration deadline) {
        Batch batch = batch(new ToolRequest(null, List.of(call)), alone(deadline));
        return start(batch, event -> event.records().get(0).response());
    }

    private static BatchOptions alone(Duration deadline) {
        return deadline == null ? BatchOptions.DEFAULT : BatchOptions.DEFAULT.withCallDeadline(deadline);
    }

    // A batch -------------------------------------------------------------------------------------

    /** Runs a batch in order and returns its response event. */
    public ResponseEvent run(ToolRequest request) throws InterruptedException {
        return run(request, BatchOptions.DEFAULT);
    }

    /**
     * Runs a batch and returns its response event: one record per call, in request order.
     *
     * @throws InterruptedException the caller was interrupted; no response event
     * @throws ExecutorClosed the executor is closed, or was closed meanwhile
     * @throws dev.isonomy.contract.JournalMismatch the journal has other calls for the batch (clause 13.3)
     * @throws dev.isonomy.contract.JournalException the journal cannot be used, and nothing was started (clause 13.8)
     */
    public ResponseEvent run(ToolRequest request, BatchOptions options) throws InterruptedException {
        return run(batch(request, options));
    }

    /**
     * Runs a batch on threads of the executor; cancelling the future, or completing it from outside, cancels the batch.
     * The future ends as {@link #run(ToolRequest, BatchOptions)} does.
     */
    public CompletableFuture<ResponseEvent> runAsync(ToolRequest request, BatchOptions options) {
        return start(batch(request, options), Function.identity());
    }

    private Batch batch(ToolRequest request, BatchOptions options) {
        if (request == null || options == null) {
            throw new Misuse("a batch needs a request and options; use BatchOptions.DEFAULT");
        }
        Scope parent = Scope.of(this);
        Slot[] slots = new Slot[request.calls().size()];
        for (int i = 0; i < slots.length; i++) {
            ToolCall call = request.calls().get(i);
            // A nested call uses its parent's permit (clause 8.7).
            slots[i] = new Slot(
                    i, call, tools.get(call.tool()), parent == null ? permits.get(call.tool()) : null);
        }
        Claiming claiming = options.journal() == null
                ? null
                : new Claiming(request.id(), options.journal(), identities.of(slots));
        return new Batch(request.id(), slots, options, parent, claiming);
    }

    private ResponseEvent run(Batch batch) throws InterruptedException {
        if (!batch.isTimed() && (batch.options.parallel() == 1 || batch.slots.length < 2)) {
            InOrder run = new InOrder(calls, batch);
            open(run);
            try {
                run.run();
            } finally {
                inFlight.remove(run);
            }
            return calls.funnel.answered(batch);
        }
        if (Thread.interrupted()) {
            throw new InterruptedException("the caller was interrupted");
        }
        OnThreads run = new OnThreads(calls, threads, deadlines, batch);
        open(run);
        try {
            return await(run, run.start());
        } finally {
            inFlight.remove(run);
        }
    }

    /** Waits for a batch on the caller's thread; an interrupt ends the batch first. */
    private static ResponseEvent await(OnThreads run, CompletableFuture<ResponseEvent> done)
            throws InterruptedException {
        InterruptedException interrupted = null;
        while (true) {
            try {
                ResponseEvent event = done.get();
                if (interrupted != null) {
                    // The batch was over before the interrupt could end it.
                    Thread.currentThread().interrupt();
                }
                return event;
            } catch (InterruptedException cancelled) {
                interrupted = cancelled;
                run.stop(cancelled);
            } catch (ExecutionException early) {
                Calls.<InterruptedException>rethrow(early.getCause());
            }
        }
    }

    private <T> CompletableFuture<T> start(Batch batch, Function<ResponseEvent, T> answer) {
        OnThreads run = new OnThreads(calls, threads, deadlines, batch);
        open(run);
        BatchFuture<T> future = new BatchFuture<>(run);
        run.start().whenComplete((event, early) -> {
            inFlight.remove(run);
            Runnable complete = () -> {
                if (early == null) {
                    future.complete(answer.apply(event));
                } else {
                    future.completeExceptionally(early);
                }
            };
            // What a reader of the future does must not hold up the clock.
            if (deadlines.isCurrentThread()) {
                future.defaultExecutor().execute(complete);
            } else {
                complete.run();
            }
        });
        return future;
    }

    private void open(InFlight run) {
        inFlight.add(run);
        if (closed) {
            inFlight.remove(run);
            throw new ExecutorClosed();
        }
    }

    // The end -------------------------------------------------------------------------------------

    /** Waits until queued sinks took every event so far; false where that took longer. */
    public boolean flush(Duration timeout) throws InterruptedException {
        return emitter.flush(timeout);
    }

    /**
     * Ends what is in flight as cancelled and closes what the executor opened (clause 8.14). Callers that still wait
     * get {@link ExecutorClosed}; a body that does not heed its interruption goes on, on a daemon thread. Takes about
     * as long as queued sinks need, at most the grace; more calls do nothing.
     */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        inFlight.forEach(InFlight::close);
        threads.close();
        deadlines.close();
        emitter.close(grace);
        if (ownsTools) {
            tools.close();
        }
    }
}
