// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.bridge.WireSocket;
import dev.isonomy.bridge.workers.Program;
import dev.isonomy.bridge.workers.WorkerPool;
import dev.isonomy.bridge.workers.WorkerUnavailable;
import dev.isonomy.contract.BridgeCall;
import dev.isonomy.contract.Effect;
import dev.isonomy.contract.Envelope;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.ExecutionEvent;
import dev.isonomy.contract.Frame;
import dev.isonomy.contract.FrameType;
import dev.isonomy.contract.Handshake;
import dev.isonomy.contract.Limits;
import dev.isonomy.contract.Progress;
import dev.isonomy.contract.Returned;
import dev.isonomy.contract.ToolError;
import dev.isonomy.contract.ToolFailure;
import dev.isonomy.contract.ToolResponse;
import dev.isonomy.runtime.ToolExecutor;
import dev.isonomy.tools.BoundTool;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The Java worker process: what its tools do to it, and what it tells (spec/wire.md). */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
final class WorkerTest {

    @TempDir
    private Path folder;

    private List<String> command() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC", "-Xmx64m",
                "-XX:ErrorFile=" + folder.resolve("crash.log"), "-XX:-CreateCoredumpOnCrash",
                "-cp", System.getProperty("java.class.path"),
                Main.class.getName());
    }

    private WorkerPool pool(int maxFrame, String... tools) {
        Program program = new Program("java", "java", command(), List.of(), List.of(tools), List.of(), Map.of(), folder,
                Duration.ofSeconds(60), maxFrame);
        return new WorkerPool(program, 1, 0, Duration.ofMillis(500));
    }

    private static ToolError error(ToolResponse response) {
        assertTrue(response instanceof ToolFailure, () -> response.toString());
        return ((ToolFailure) response).error();
    }

    private static void lost(ToolResponse response, Map<String, ?> details) {
        ToolError error = error(response);
        assertEquals(ErrorKind.CONNECTION_LOST, error.kind());
        assertEquals(Effect.POSSIBLE, error.effect());
        assertEquals(details, error.details());
    }

    @Test
    void toolsOfAnotherProcess() throws InterruptedException {
        try (WorkerPool pool = pool(65_536, Mischief.class.getName());
                ToolExecutor executor = ToolExecutor.of(pool.begin())) {
            BoundTool echo = executor.tools().get("echo");
            assertEquals("Give back what came.", echo.spec().description());
            assertEquals("2", echo.spec().version());
            assertEquals(3, echo.spec().maxParallel());
            assertEquals(Duration.ofSeconds(20), echo.spec().deadline());
            assertEquals(3_000_000_000L, executor.call("echo", Map.of("value", 3_000_000_000L)).unwrap());
            assertNotEquals(ProcessHandle.current().pid(), executor.call("pid", Map.of()).unwrap());
            assertEquals("later", executor.call("later", Map.of("millis", 20)).unwrap());
            assertEquals("said", executor.call("talk", Map.of()).unwrap());
            assertEquals(26L, ((Map<?, ?>) executor.call("keyed", Map.of()).unwrap()).get(25L));
            ToolError failed = error(executor.call("fail", Map.of()));
            assertEquals("java.lang.IllegalStateException", failed.type());
            assertEquals("inner", failed.causes().get(0).message());
            assertTrue(failed.trace().contains("Mischief.fail"), failed.trace());
            assertEquals(ErrorKind.INVALID_ARGUMENTS, error(executor.call("pause", Map.of("millis", "x"))).kind());
            ToolError large = error(executor.call("big", Map.of("size", 70_000)));
            assertEquals(ErrorKind.TOO_LARGE, large.kind());
            assertEquals(Effect.POSSIBLE, large.effect());
        }
    }

    @Test
    void whateverEndsAWorkerIsAFailureOfItsCallAlone() throws InterruptedException {
        try (WorkerPool pool = pool(1 << 20, Mischief.class.getName());
                ToolExecutor executor = ToolExecutor.of(pool.begin())) {
            lost(executor.call("exit", Map.of("code", 0)), Map.of("exit_code", 0L));
            lost(executor.call("halt", Map.of("code", 3)), Map.of("exit_code", 3L));
            lost(executor.call("crash", Map.of()), Map.of("exit_code", 1L)); // SIGABRT where a core is asked for
            assertEquals("java.lang.OutOfMemoryError", error(executor.call("exhaust", Map.of())).type());
            assertEquals("java.lang.StackOverflowError", error(executor.call("recurse", Map.of())).type());
            assertEquals(1L, executor.call("echo", Map.of("value", 1)).unwrap());
        }
    }

    @Test
    void aBodyThatTurnsOutSlowKeepsNobodyFromReading() throws Exception {
        try (WorkerPool pool = pool(1 << 20, Mischief.class.getName());
                ToolExecutor executor = ToolExecutor.of(pool.begin())) {
            for (int i = 0; i < 50; i++) {
                assertEquals("done", executor.call("quick", Map.of("millis", 0)).unwrap());
            }
            CompletableFuture<ToolResponse> slow = executor.callAsync("quick", Map.of("millis", 3_000));
            long pid = (Long) executor.call("pid", Map.of()).unwrap();
            assertTrue(ProcessHandle.of(pid).isPresent());
            List<CompletableFuture<ToolResponse>> pauses = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                pauses.add(executor.callAsync("pause", Map.of("millis", 200)));
            }
            for (CompletableFuture<ToolResponse> pause : pauses) {
                assertEquals("awake", pause.get(60, TimeUnit.SECONDS).unwrap());
            }
            assertTrue(!slow.isDone(), "20 pauses of 200 ms side by side take as long as one");
            assertEquals("done", slow.get(60, TimeUnit.SECONDS).unwrap());
        }
    }

    @Test
    void cancellationAndProgressAreSeenWhileTheBodyRuns() throws Exception {
        List<Progress> seen = Collections.synchronizedList(new ArrayList<>());
        CompletableFuture<Void> progressed = new CompletableFuture<>();
        try (WorkerPool pool = pool(1 << 20, Mischief.class.getName());
                ToolExecutor executor = ToolExecutor.builder().tools(pool.begin()).sink(event -> {
                    if (event instanceof ExecutionEvent execution && execution.progress() != null) {
                        seen.add(execution.progress());
                        progressed.complete(null);
                    }
                }).build()) {
            long pid = (Long) executor.call("pid", Map.of()).unwrap();
            CompletableFuture<Object> ended = new CompletableFuture<>();
            Thread caller = new Thread(() -> {
                try {
                    ended.complete(executor.call("untilCancelled", Map.of()));
                } catch (InterruptedException cancelled) {
                    ended.complete("interrupted");
                }
            });
            caller.start();
            progressed.get(60, TimeUnit.SECONDS);
            assertEquals(List.of(new Progress(1, 2.0, "waiting")), seen);
            caller.interrupt();
            assertEquals("interrupted", ended.get(60, TimeUnit.SECONDS));
            // Had the body not been told, its worker would be replaced after the grace.
            Thread.sleep(1_000);
            assertEquals(pid, executor.call("pid", Map.of()).unwrap());
        }
    }

    @Test
    void anInterruptThatComesLateHarmsNothing() throws InterruptedException {
        try (WorkerPool pool = pool(1 << 20, Mischief.class.getName());
                ToolExecutor executor = ToolExecutor.of(pool.begin())) {
            Set<Object> pids = new HashSet<>();
            for (int i = 0; i < 300; i++) {
                assertEquals("will do", executor.call("interruptLater", Map.of()).unwrap());
                pids.add(executor.call("pid", Map.of()).unwrap());
            }
            assertEquals(1, pids.size());
        }
    }

    @Test
    void toolsThatCannotBeLoaded() {
        for (String[] each : new String[][] {
            {"com.acme.Missing", "com.acme.Missing"},
            {Mischief.class.getName() + "#missing", "missing"},
            {"java.lang.String", "no public method marked @Tool"}
        }) {
            try (WorkerPool pool = pool(1 << 20, each[0])) {
                WorkerUnavailable refused = assertThrows(WorkerUnavailable.class, pool::begin);
                assertTrue(refused.getMessage().contains(each[1]), refused.getMessage());
            }
        }
    }

    // As a host that breaks the rules -------------------------------------------------------------

    private interface Host {
        void talk(WireSocket socket) throws IOException;
    }

    private int exitCode(Host host) throws IOException, InterruptedException {
        Path path = folder.resolve("s");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(path));
            List<String> words = new ArrayList<>(command());
            words.add(path.toString());
            Process process = new ProcessBuilder(words)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try (WireSocket socket = new WireSocket(server.accept())) {
                Handshake.readHello(socket.receive().payload());
                host.talk(socket);
            }
            return process.waitFor();
        } finally {
            java.nio.file.Files.deleteIfExists(path);
        }
    }

    private static void welcome(WireSocket socket) throws IOException {
        socket.send(Handshake.frame(new Handshake.Welcome(1, 1 << 20, List.of(Mischief.class.getName()), List.of())));
        assertEquals(FrameType.READY, socket.receive().type());
    }

    private static Frame call(long number, String tool, Map<String, Object> arguments) {
        return new Frame(FrameType.CALL, number, Envelope.encodeCall(
                new BridgeCall(tool, arguments, Map.of(), null, 1, null, Limits.DEFAULT)));
    }

    @Test
    void aWorkerEndsWithItsConnection() throws IOException, InterruptedException {
        assertEquals(0, exitCode(socket -> {}));
        assertEquals(0, exitCode(WorkerTest::welcome));
        assertEquals(0, exitCode(socket -> {
            welcome(socket);
            socket.send(call(1, "pause", Map.of("millis", 50_000)));
        }));
        assertEquals(1, exitCode(socket -> {
            socket.send(Handshake.frame(new Handshake.Refused("no")));
            socket.receive();
        }));
    }

    @Test
    void closeLetsCallsEnd() throws IOException, InterruptedException {
        assertEquals(0, exitCode(socket -> {
            welcome(socket);
            socket.send(call(1, "pause", Map.of("millis", 300)));
            socket.send(new Frame(FrameType.CLOSE, 0));
            Frame outcome = socket.receive();
            assertEquals(1, outcome.number());
            assertEquals(new Returned("awake"), Envelope.decodeReply(outcome.payload()).outcome());
            assertEquals(null, socket.receive());
        }));
    }

    @Test
    void aBrokenWireEndsTheWorkerWith70() throws IOException, InterruptedException {
        List<Frame> broken = List.of(
                new Frame(FrameType.WELCOME, 0), new Frame(FrameType.OUTCOME, 1), call(0, "pid", Map.of()),
                new Frame(FrameType.CALL, 1, new byte[(1 << 20) + 1]));
        for (Frame each : broken) {
            assertEquals(70, exitCode(socket -> {
                welcome(socket);
                try {
                    socket.send(each);
                    socket.receive();
                } catch (IOException closed) {
                    // the worker closes as soon as it has seen enough
                }
            }), each.type()::name);
        }
    }

    @Test
    void aRequestThatCannotBeReadIsAnswered() throws IOException, InterruptedException {
        assertEquals(0, exitCode(socket -> {
            welcome(socket);
            socket.send(new Frame(FrameType.CALL, 1, new byte[] {'{'}));
            Frame outcome = socket.receive();
            assertEquals(FrameType.OUTCOME, outcome.type());
            assertTrue(new String(outcome.payload(), java.nio.charset.StandardCharsets.UTF_8).contains("malformed request"));
            socket.send(new Frame(FrameType.CANCEL, 1)); // means nothing any more
            socket.send(call(2, "missing", Map.of()));
            assertTrue(new String(socket.receive().payload(), java.nio.charset.StandardCharsets.UTF_8).contains("not_found"));
        }));
    }
}
