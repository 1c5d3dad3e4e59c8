// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.vectors;

import dev.isonomy.contract.ToolCall;
import dev.isonomy.runtime.ToolExecutor;
import dev.isonomy.tools.BoundTool;
import dev.isonomy.tools.ToolBuilder;
import dev.isonomy.tools.ToolContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** The tools of a batch of vectors, and what is known of their runs. */
public final class VectorTools {
    /** How many calls of the chain are above the current one; a nested call without a deadline stays on its thread. */
    private static final ThreadLocal<Integer> LEVEL = ThreadLocal.withInitial(() -> 0);

    private final Map<String, AtomicInteger> runs = new ConcurrentHashMap<>();
    private final CountDownLatch started;
    private volatile ToolExecutor executor;

    /** @param awaited how many bodies {@link #awaitStarted} waits for */
    public VectorTools(int awaited) {
        this.started = new CountDownLatch(awaited);
    }

    /** The executor that nested calls go through. */
    public void setExecutor(ToolExecutor executor) {
        this.executor = executor;
    }

    public int runs(String tool) {
        return runs.getOrDefault(tool, new AtomicInteger()).get();
    }

    /** Waits until so many bodies sleep as were asked for. */
    public void awaitStarted() throws InterruptedException {
        started.await();
    }

    /** A tool with a behaviour. */
    @SuppressWarnings("unchecked") // the keys of JSON objects are strings
    public BoundTool tool(String name, Map<String, Object> behaviour) {
        Fields options = Fields.of(name, behaviour);
        ToolBuilder builder = BoundTool.named(name)
                .schema((Map<String, Object>) options.json("schema", Map.of("type", "object")));
        ((List<?>) options.json("injected", List.of())).forEach(host -> builder.inject((String) host));
        if (options.has("max_parallel")) {
            builder.maxParallel(options.integer("max_parallel"));
        }
        Map<String, Object> body = new LinkedHashMap<>(behaviour);
        body.keySet().removeAll(List.of("schema", "injected", "max_parallel"));
        return builder.body((arguments, context) -> {
            int run = runs.computeIfAbsent(name, any -> new AtomicInteger()).incrementAndGet();
            return unchecked(() -> run(body, name, run, arguments, context));
        });
    }

    private interface Throwing {
        Object run() throws Throwable;
    }

    private static Object unchecked(Throwing body) throws Exception {
        try {
            return body.run();
        } catch (Exception | Error thrown) {
            throw thrown;
        } catch (Throwable other) {
            throw new AssertionError(other);
        }
    }

    private Object run(
            Map<?, ?> behaviour, String tool, int run, Map<String, Object> arguments, ToolContext context)
            throws Throwable {
        Fields fields = Fields.of(tool, behaviour);
        Object result = switch (fields.text("do")) {
            case "echo" -> arguments;
            case "count" -> run;
            case "injected" -> arguments.get(fields.text("name"));
            case "context" -> context(context);
            case "call" -> call(fields, tool, run, arguments, context);
            case "sleep" -> {
                sleep(fields);
                yield run((Map<?, ?>) fields.json("then"), tool, run, arguments, context);
            }
            case "async" -> async((Map<?, ?>) fields.json("then"), tool, run, arguments, context);
            default -> Behaviours.run(fields);
        };
        fields.requireAllRead();
        return result;
    }

    private void sleep(Fields fields) throws InterruptedException {
        started.countDown();
        Thread.sleep((long) (((Number) fields.json("seconds")).doubleValue() * 1000));
    }

    private Object async(Map<?, ?> then, String tool, int run, Map<String, Object> arguments, ToolContext context) {
        CompletableFuture<Object> stage = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                stage.complete(run(then, tool, run, arguments, context));
            } catch (Throwable thrown) {
                stage.completeExceptionally(thrown);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return stage;
    }

    private static Map<String, Object> context(ToolContext context) {
        Map<String, Object> seen = new LinkedHashMap<>();
        seen.put("call_id", context.callId());
        seen.put("tool", context.tool());
        seen.put("attempt", context.attempt());
        seen.put("has_deadline", context.remaining().isPresent());
        seen.put("cancelled", context.cancelled());
        return seen;
    }

    private Object call(Fields fields, String tool, int run, Map<String, Object> arguments, ToolContext context)
            throws Throwable {
        ToolCall nested = new ToolCall(null, fields.text("tool"), fields.json("arguments"));
        int level = LEVEL.get();
        if (fields.has("levels")) {
            Map<?, ?> then = (Map<?, ?>) fields.json("then");
            if (level >= fields.integer("levels")) {
                return run(then, tool, run, arguments, context);
            }
        }
        LEVEL.set(level + 1);
        try {
            return executor.call(nested, null).unwrap();
        } finally {
            LEVEL.set(level);
        }
    }
}
