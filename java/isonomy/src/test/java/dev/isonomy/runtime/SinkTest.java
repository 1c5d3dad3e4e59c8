// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.contract.Event;
import dev.isonomy.contract.ExecutionEvent;
import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.Redactor;
import dev.isonomy.contract.ResponseEvent;
import dev.isonomy.contract.Sink;
import dev.isonomy.contract.ToolCall;
import dev.isonomy.contract.ToolRequest;
import dev.isonomy.contract.ToolResponse;
import dev.isonomy.contract.Wire;
import dev.isonomy.observe.MemorySink;
import dev.isonomy.observe.Metrics;
import dev.isonomy.tools.BoundTool;
import dev.isonomy.tools.InjectedParameter;
import dev.isonomy.tools.ToolContext;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Sinks change nothing, whatever they do (clause 9.5), and see no secrets (clause 12). */
final class SinkTest {

    private static final BoundTool ECHO = BoundTool.named("echo").body((arguments, context) -> arguments.get("x"));

    /** A sink of its own make that is called where events are made. */
    private static Sink direct(Sink sink) {
        return new Sink() {
            @Override
            public void emit(Event event) {
                sink.emit(event);
            }

            @Override
            public boolean direct() {
                return true;
            }
        };
    }

    @Test
    void aSinkThatThrowsChangesNoResponseAndIsCounted() throws InterruptedException {
        for (boolean direct : new boolean[] {true, false}) {
            Metrics metrics = new Metrics();
            Sink throwing = event -> {
                throw new StackOverflowError("deep");
            };
            try (ToolExecutor executor = ToolExecutor.builder()
                    .tools(ECHO)
                    .sink(direct ? direct(throwing) : throwing)
                    .sink(metrics)
                    .build()) {
                assertEquals(1L, executor.call("echo", Map.of("x", 1)).unwrap());
                assertTrue(executor.flush(Duration.ofSeconds(Hang.LIMIT_SECONDS)));
                assertEquals(3, metrics.snapshot().droppedEvents(), "started, finished, and the response event");
                assertEquals(1, metrics.snapshot().succeeded("echo"));
            }
        }
    }

    @Test
    void aSinkThatBlocksHoldsUpNobodyAndLosesWhatDoesNotFit() throws InterruptedException {
        CountDownLatch blocked = new CountDownLatch(1);
        List<Event> taken = Collections.synchronizedList(new ArrayList<>());
        Metrics metrics = new Metrics();
        Sink blocking = event -> {
            try {
                Hang.await(blocked);
            } catch (InterruptedException closing) {
                Thread.currentThread().interrupt();
            }
            taken.add(event);
        };
        try (ToolExecutor executor =
                ToolExecutor.builder().tools(ECHO).sink(blocking).sink(metrics).build()) {
            for (int i = 0; i < 4_000; i++) {
                assertTrue(executor.call("echo", Map.of("x", i)).isSuccess());
            }
            assertEquals(4_000, metrics.snapshot().succeeded("echo"));
            assertFalse(executor.flush(Duration.ofMillis(1)));
            long dropped = metrics.snapshot().droppedEvents();
            assertTrue(dropped >= 12_000 - 10_001, () -> "dropped " + dropped);
            blocked.countDown();
            assertTrue(executor.flush(Duration.ofSeconds(Hang.LIMIT_SECONDS)));
            assertEquals(12_000 - dropped, taken.size());
        }
    }

    @Test
    void aQueuedSinkIsToldInOrder() throws InterruptedException {
        List<Event> taken = Collections.synchronizedList(new ArrayList<>());
        try (ToolExecutor executor = ToolExecutor.builder().tools(ECHO).sink(taken::add).build()) {
            List<ToolCall> calls = Collections.nCopies(40, ToolCall.of("echo", Map.of("x", 1)));
            executor.run(new ToolRequest("b", calls), BatchOptions.inParallel(4));
        }
        assertEquals(81, taken.size(), "close gives sinks time for what is left");
        for (int i = 0; i < 80; i++) {
            assertEquals(i, ((ExecutionEvent) taken.get(i)).seq());
        }
        assertTrue(taken.get(80) instanceof ResponseEvent);
    }

    /** L2: no outlet shows a secret, whatever the tool put it into. */
    @Test
    void secretsOfFailuresLeaveNowhere() throws InterruptedException {
        MemorySink memory = new MemorySink();
        BoundTool leaks = BoundTool.named("leaks").inject("credential").body((arguments, context) -> {
            context.progress(1, null, "with Bearer abc123def456");
            throw new IllegalStateException(
                    "Authorization: Bearer abc123def456",
                    new RuntimeException("GET /?access_token=xyz98765 as " + arguments.get("credential"),
                            new RuntimeException("postgres://u:s3cr3tp@h/db")));
        });
        BoundTool declares = BoundTool.named("declares").body((arguments, context) -> ToolResponse.failure("no")
                .details(Map.of("password", "hunter2", "note", "token=xyz98765"))
                .build());
        try (ToolExecutor executor = ToolExecutor.builder()
                .tools(leaks, declares)
                .inject("credential", "inj3cted-value")
                .sink(memory)
                .build()) {
            executor.run(ToolRequest.of(new ToolCall(null, "leaks", null), new ToolCall(null, "declares", null)));
        }
        StringBuilder all = new StringBuilder();
        memory.events().forEach(event -> all.append(new String(Wire.encode(event), StandardCharsets.UTF_8)));
        for (String secret : List.of("abc123def456", "xyz98765", "s3cr3tp", "hunter2", "inj3cted-value")) {
            assertFalse(all.toString().contains(secret), () -> secret + " in " + all);
        }
        assertTrue(all.toString().contains("[redacted]"));
    }

    private static String message(ToolExecutor executor, String tool) throws InterruptedException {
        return executor.call(tool, Map.of()).error().message();
    }

    @Test
    void whatIsNoSecretIsShown() throws InterruptedException {
        BoundTool open = BoundTool.named("open")
                .inject("tenant", new InjectedParameter("tenant", false, false))
                .inject("key")
                .body((arguments, context) -> {
                    throw new IllegalStateException(arguments.get("tenant") + "stream for " + arguments.get("key"));
                });
        BoundTool secret = BoundTool.named("secret").inject("tenant").body((arguments, context) -> null);
        ToolExecutorBuilder one =
                ToolExecutor.builder().tools(open).inject(Map.of("tenant", "main", "key", List.of("k-0123")));
        try (ToolExecutor executor = one.build()) {
            assertEquals("mainstream for [[redacted]]", message(executor, "open"));
        }
        ToolExecutorBuilder both = ToolExecutor.builder().tools(open, secret).inject(Map.of("tenant", "main", "key", 5));
        try (ToolExecutor executor = both.build()) {
            assertEquals("[redacted]stream for 5", message(executor, "open"));
        }
    }

    @Test
    void noPathShowsASecret() throws InterruptedException {
        BoundTool keyed = BoundTool.named("keyed").inject("key")
                .body((arguments, context) -> Map.of((String) arguments.get("key"), new Object()));
        try (ToolExecutor executor =
                ToolExecutor.builder().tools(keyed).inject("key", "inj3cted").strictValues(true).build()) {
            assertEquals(
                    "$.[redacted]: a value of type java.lang.Object has no portable form", message(executor, "keyed"));
            assertEquals("no tool named \"x-[redacted]\"", message(executor, "x-inj3cted"));
        }
    }

    @Test
    void aRedactorThatThrowsLetsNothingThroughAndThrowsNowhere() throws InterruptedException {
        MemorySink memory = new MemorySink();
        BoundTool leaks = BoundTool.named("leaks").body((arguments, context) -> {
            context.progress(1, 2.0, "hunter2");
            throw new IllegalStateException("hunter2");
        });
        Redactor broken = Redactor.of(text -> {
            throw new Misuse("broken");
        });
        try (ToolExecutor executor =
                ToolExecutor.builder().tools(leaks).redactor(broken).sink(memory).build()) {
            assertEquals("[redacted]", executor.call("leaks", Map.of()).error().message());
        }
        memory.events().forEach(event ->
                assertFalse(new String(Wire.encode(event), StandardCharsets.UTF_8).contains("hunter2")));
        assertEquals(List.of("started 0", "progress 0", "failed 0 exception"), Told.of(memory));
    }

    /** 12.6: what the runtime says about arguments is not mistaken for a secret. */
    @Test
    void aParameterNamedLikeASecretKeepsItsMessage() throws InterruptedException {
        BoundTool login = BoundTool.named("login")
                .schema(Map.of("type", "object", "properties", Map.of("password", Map.of("type", "string")),
                        "required", List.of("password")))
                .body((arguments, context) -> null);
        try (ToolExecutor executor = ToolExecutor.of(login)) {
            assertEquals("password: required", executor.call("login", Map.of()).error().message());
        }
    }

    @Test
    void progressAfterTheEndGoesNowhere() throws InterruptedException {
        MemorySink memory = new MemorySink();
        ToolContext[] kept = new ToolContext[1];
        BoundTool keeps = BoundTool.named("keeps").body((arguments, context) -> {
            kept[0] = context;
            context.progress(0.5);
            return null;
        });
        try (ToolExecutor executor = ToolExecutor.builder().tools(keeps).sink(memory).build()) {
            executor.call("keeps", Map.of());
            kept[0].progress(1);
            assertFalse(kept[0].cancelled());
        }
        assertEquals(List.of("started 0", "progress 0", "finished 0"), Told.of(memory));
    }
}
