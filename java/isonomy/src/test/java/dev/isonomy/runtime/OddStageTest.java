// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.ToolCall;
import dev.isonomy.contract.ToolRequest;
import dev.isonomy.contract.ToolResponse;
import dev.isonomy.observe.Metrics;
import dev.isonomy.tools.BoundTool;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Stages that break their own rules end once, and alike on every path (clauses 3.5 and 8.9). */
final class OddStageTest {

    /** A stage of a tool's own make. */
    private abstract static class Odd extends CompletableFuture<Object> {
        abstract void tell(BiConsumer<? super Object, ? super Throwable> action);

        @Override
        public CompletableFuture<Object> whenComplete(BiConsumer<? super Object, ? super Throwable> action) {
            tell(action);
            return this;
        }

        @Override
        public CompletableFuture<Object> toCompletableFuture() {
            throw new UnsupportedOperationException("it is no future");
        }
    }

    private static CompletionStage<Object> twice() {
        return new Odd() {
            @Override
            void tell(BiConsumer<? super Object, ? super Throwable> action) {
                action.accept("first", null);
                action.accept("second", null);
                action.accept(null, new IllegalStateException("third"));
            }
        };
    }

    private static CompletionStage<Object> tellsAndThrows() {
        return new Odd() {
            @Override
            void tell(BiConsumer<? super Object, ? super Throwable> action) {
                action.accept("first", null);
                throw new IllegalStateException("after it told");
            }
        };
    }

    private static CompletionStage<Object> refuses() {
        return new Odd() {
            @Override
            void tell(BiConsumer<? super Object, ? super Throwable> action) {
                throw new IllegalStateException("not to be awaited");
            }
        };
    }

    /** Completes, and completes again as soon as its end was seen. */
    private static CompletionStage<Object> obtrudes() {
        CompletableFuture<Object> stage = new CompletableFuture<>() {
            @Override
            public CompletableFuture<Object> whenComplete(BiConsumer<? super Object, ? super Throwable> action) {
                CompletableFuture<Object> next = super.whenComplete(action);
                complete("first");
                obtrudeValue("second");
                return next;
            }
        };
        return stage;
    }

    @Test
    void theFirstEndCountsOnEveryPath() throws Exception {
        Metrics metrics = new Metrics();
        List<BoundTool> tools = List.of(
                tool("twice", ignored -> twice()),
                tool("tells", ignored -> tellsAndThrows()),
                tool("refuses", ignored -> refuses()),
                tool("obtrudes", ignored -> obtrudes()));
        try (ToolExecutor executor = ToolExecutor.builder().tools(tools.toArray()).sink(metrics).build()) {
            for (String name : List.of("twice", "tells", "obtrudes", "refuses")) {
                ToolCall call = ToolCall.of(name, Map.of());
                ToolRequest request = ToolRequest.of(call, call);
                for (ToolResponse response : List.of(
                        executor.call(name, Map.of()),
                        executor.call(call, Duration.ofSeconds(Hang.LIMIT_SECONDS)),
                        executor.callAsync(name, Map.of()).get(Hang.LIMIT_SECONDS, TimeUnit.SECONDS),
                        executor.run(request).records().get(1).response(),
                        executor.run(request, BatchOptions.inParallel(2)).records().get(1).response())) {
                    if (name.equals("refuses")) {
                        assertEquals("not to be awaited", response.error().message());
                    } else {
                        assertEquals("first", response.unwrap());
                    }
                }
            }
        }
        assertEquals(0, metrics.snapshot().inFlight());
        assertEquals(0, metrics.snapshot().lateResults(), "a second end is no late result");
    }

    private static BoundTool tool(String name, Function<Map<String, Object>, Object> body) {
        return BoundTool.named(name).body((arguments, context) -> body.apply(arguments));
    }

    @Test
    void aBuilderThatCannotBeFinishedIsAnExceptionOfTheBody() throws Exception {
        BoundTool now = BoundTool.named("now")
                .body((arguments, context) -> ToolResponse.failure("declined").retryAfterMs(-1));
        BoundTool later = BoundTool.named("later").body((arguments, context) -> CompletableFuture.completedFuture(
                ToolResponse.failure("declined").retryAfterMs(-1)));
        try (ToolExecutor executor = ToolExecutor.of(now, later)) {
            for (String tool : List.of("now", "later")) {
                assertEquals(ErrorKind.EXCEPTION, executor.call(tool, Map.of()).error().kind());
                assertEquals(
                        ErrorKind.EXCEPTION,
                        executor.callAsync(tool, Map.of()).get(60, TimeUnit.SECONDS).error().kind());
            }
        }
    }
}
