// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.python;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.contract.Effect;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.ToolCall;
import dev.isonomy.contract.ToolError;
import dev.isonomy.contract.ToolFailure;
import dev.isonomy.contract.ToolResponse;
import dev.isonomy.runtime.ToolExecutor;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Workers that die, hang, or whose host dies (W1.3, W5). */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class CrashTest {

    private static ToolError error(ToolResponse response) {
        assertTrue(response instanceof ToolFailure, () -> response.toString());
        return ((ToolFailure) response).error();
    }

    private static void lost(ToolResponse response, Map<String, ?> details) {
        ToolError error = error(response);
        assertEquals(ErrorKind.CONNECTION_LOST, error.kind());
        assertEquals(Effect.POSSIBLE, error.effect());
        assertEquals(details, error.details());
        assertTrue(error.message().startsWith("the worker ended ("), error.message());
    }

    @Test
    void whateverEndsAWorkerIsAFailureOfItsCallAlone(@TempDir Path folder) throws InterruptedException, IOException {
        try (PythonTools tools = Python.acme().start(); ToolExecutor executor = ToolExecutor.of(tools.tools())) {
            lost(executor.call("exit_at_once", Map.of("code", 0)), Map.of("exit_code", 0L));
            assertEquals(1L, executor.call("echo", Map.of("value", 1)).unwrap());
            lost(executor.call("exit_at_once", Map.of("code", 7)), Map.of("exit_code", 7L));
            lost(executor.call("segfault", Map.of()), Map.of("signal", "SIGSEGV"));
            lost(executor.call("kill_itself", Map.of()), Map.of("signal", "SIGKILL"));
            assertEquals(2L, executor.call("echo", Map.of("value", 2)).unwrap());

            long began = System.nanoTime();
            lost(executor.call("fork_and_die", Map.of("folder", folder.toString())), Map.of("exit_code", 9L));
            assertTrue(System.nanoTime() - began < 20_000_000_000L, "the child holds the connection for 30 s");
            long child = Long.parseLong(Files.readString(folder.resolve("child")));
            ProcessHandle.of(child).ifPresent(ProcessHandle::destroyForcibly);

            assertEquals("MemoryError", error(executor.call("exhaust_memory", Map.of())).type());
            assertEquals("RecursionError", error(executor.call("recurse", Map.of())).type());
            assertEquals("SystemExit", error(executor.call("exit_by_sys", Map.of())).type());
            assertEquals(3L, executor.call("echo", Map.of("value", 3)).unwrap());
        }
    }

    @Test
    void aWorkerWithoutItsConnectionIsReplaced() throws InterruptedException {
        try (PythonTools tools = Python.acme().start(); ToolExecutor executor = ToolExecutor.of(tools.tools())) {
            ToolError error = error(executor.call("close_all", Map.of()));
            assertEquals(ErrorKind.CONNECTION_LOST, error.kind());
            long second = (Long) executor.call("pid", Map.of()).unwrap();
            assertEquals("will do", executor.call("close_all_later", Map.of()).unwrap());
            Thread.sleep(1_000);
            // The worker finds out when it answers: this call was sent, and is not sent again.
            assertEquals(ErrorKind.CONNECTION_LOST, error(executor.call("pid", Map.of())).kind());
            assertNotEquals(second, executor.call("pid", Map.of()).unwrap());
            Python.until(() -> !Python.isAlive(second), "it lives on without its connection");
        }
    }

    @Test
    void callsOfOtherThreadsOnALostWorkerAreToldToo() throws Exception {
        try (PythonTools tools = Python.acme().start(); ToolExecutor executor = ToolExecutor.of(tools.tools())) {
            List<CompletableFuture<ToolResponse>> waiting = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                waiting.add(executor.callAsync("pause", Map.of("seconds", 50)));
            }
            assertEquals(1L, executor.call("echo", Map.of("value", 1)).unwrap());
            long pid = tools.pids().get(0);
            ProcessHandle.of(pid).orElseThrow().destroyForcibly();
            for (CompletableFuture<ToolResponse> each : waiting) {
                lost(each.get(Python.HANG_SECONDS, TimeUnit.SECONDS), Map.of("signal", "SIGKILL"));
            }
            assertNotEquals(pid, executor.call("pid", Map.of()).unwrap());
        }
    }

    @Test
    void aStuckCallLosesItsWorkerAfterTheGrace() throws InterruptedException {
        try (PythonTools tools = Python.acme().grace(Duration.ofMillis(200)).start();
                ToolExecutor executor = ToolExecutor.of(tools.tools())) {
            long pid = (Long) executor.call("pid", Map.of()).unwrap();
            ToolResponse late = executor.call(
                    ToolCall.of("stubborn", Map.of("seconds", 50)), Duration.ofMillis(300));
            assertEquals(ErrorKind.TIMEOUT, error(late).kind());
            Python.until(() -> !Python.isAlive(pid), "the worker of the stuck call lives on");
            assertNotEquals(pid, executor.call("pid", Map.of()).unwrap());
        }
    }

    /** Some of these fill a socket that nobody reads. */
    private static final String LONG = "x".repeat(106_000);

    @Test
    void aWorkerThatDoesNotReadKeepsNobodyWaiting(@TempDir Path folder) throws Exception {
        try (PythonTools tools = Python.acme().grace(Duration.ofMillis(200)).start();
                ToolExecutor executor = ToolExecutor.of(tools.tools())) {
            long pid = tools.pids().get(0);
            List<CompletableFuture<ToolResponse>> calls = new ArrayList<>();
            ToolCall stuck = ToolCall.of("stuck", Map.of("seconds", 40, "folder", folder.toString()));
            calls.add(executor.callAsync(stuck, Duration.ofSeconds(1)));
            Python.until(() -> Files.exists(folder.resolve("runs")), "the body never ran");
            for (int i = 0; i < 2; i++) {
                calls.add(executor.callAsync(ToolCall.of("length", Map.of("text", LONG)), Duration.ofSeconds(1)));
            }
            for (CompletableFuture<ToolResponse> each : calls) {
                assertEquals(ErrorKind.TIMEOUT, error(each.get(20, TimeUnit.SECONDS)).kind());
            }
            Python.until(() -> !Python.isAlive(pid), "the worker of the stuck call lives on");
            CompletableFuture<ToolResponse> next = executor.callAsync("echo", Map.of("value", 1));
            assertEquals(1L, next.get(20, TimeUnit.SECONDS).unwrap());
        }
    }

    @Test
    void closeIsBoundedWhereAWorkerDoesNotRead(@TempDir Path folder) throws Exception {
        PythonTools tools = Python.acme().grace(Duration.ofMillis(200)).start();
        try (ToolExecutor executor = ToolExecutor.of(tools.tools())) {
            List<CompletableFuture<ToolResponse>> calls = new ArrayList<>();
            calls.add(executor.callAsync("stuck", Map.of("seconds", 40, "folder", folder.toString())));
            Python.until(() -> Files.exists(folder.resolve("runs")), "the body never ran");
            for (int i = 0; i < 2; i++) {
                calls.add(executor.callAsync("length", Map.of("text", LONG)));
            }
            Thread.sleep(500); // until they are sent, which nothing tells
            CompletableFuture.runAsync(tools::close).get(20, TimeUnit.SECONDS);
            for (CompletableFuture<ToolResponse> each : calls) {
                assertEquals(ErrorKind.CONNECTION_LOST, error(each.get(20, TimeUnit.SECONDS)).kind());
            }
        }
    }

    @Test
    void aCallThatHeedsItsCancellationKeepsItsWorker(@TempDir Path folder) throws Exception {
        try (PythonTools tools = Python.acme().grace(Duration.ofSeconds(30)).start();
                ToolExecutor executor = ToolExecutor.of(tools.tools())) {
            long pid = (Long) executor.call("pid", Map.of()).unwrap();
            CompletableFuture<String> ended = new CompletableFuture<>();
            Thread caller = new Thread(() -> {
                try {
                    ended.complete("returned " + executor.call("until_cancelled", Map.of("folder", folder.toString())));
                } catch (InterruptedException cancelled) {
                    ended.complete("cancelled, interrupted " + Thread.currentThread().isInterrupted());
                }
            });
            caller.start();
            Python.until(() -> Files.exists(folder.resolve("runs")), "the body never ran");
            caller.interrupt();
            assertEquals("cancelled, interrupted false", ended.get(Python.HANG_SECONDS, TimeUnit.SECONDS));
            Python.until(() -> Files.exists(folder.resolve("cancelled")), "the body was never told");
            assertEquals(pid, executor.call("pid", Map.of()).unwrap());
        }
    }

    @Test
    void closeIsBoundedWithCallsInFlightAndLeavesNothing(@TempDir Path folder) throws Exception {
        PythonTools tools = Python.acme().workers(2).grace(Duration.ofMillis(200)).start();
        try (ToolExecutor executor = ToolExecutor.of(tools.tools())) {
            CompletableFuture<ToolResponse> waits =
                    executor.callAsync("stubborn", Map.of("seconds", 50, "folder", folder.toString()));
            Python.until(() -> Files.exists(folder.resolve("runs")), "the body never ran");
            long child = (Long) executor.call("start_child", Map.of("folder", folder.toString())).unwrap();
            List<Long> pids = tools.pids();
            assertEquals(2, pids.size());
            CompletableFuture<Void> closed = CompletableFuture.runAsync(tools::close);
            closed.get(20, TimeUnit.SECONDS);
            assertEquals(ErrorKind.CONNECTION_LOST, error(waits.get(20, TimeUnit.SECONDS)).kind());
            assertTrue(pids.stream().noneMatch(Python::isAlive), "a worker outlives close");
            ToolError none = error(executor.call("pid", Map.of()));
            assertEquals(ErrorKind.INTERNAL, none.kind());
            assertEquals(Effect.NONE, none.effect());
            tools.close();
            ProcessHandle.of(child).ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    @Test
    void aWorkerThatCannotBeReplacedFailsTheCallsThatWaitForIt(@TempDir Path folder) throws Exception {
        Path module = folder.resolve("acme_gone.py");
        Files.copy(Python.modules().resolve("acme_tools.py"), module);
        try (PythonTools tools = PythonTools.module("acme_gone").python(Python.interpreter()).path(folder).start();
                ToolExecutor executor = ToolExecutor.of(tools.tools())) {
            Files.writeString(module, "raise LookupError('gone')\n");
            lost(executor.call("exit_at_once", Map.of("code", 1)), Map.of("exit_code", 1L));
            ToolError none = error(executor.call("pid", Map.of()));
            assertEquals(ErrorKind.CONNECTION_LOST, none.kind());
            assertEquals(Effect.NONE, none.effect());
            assertTrue(none.message().contains("gone"), none.message());
        }
    }

    @Test
    void printingALotHarmsNothing() throws InterruptedException, IOException {
        // In a process of its own, whose standard error is not that of the tests.
        Process host = host(Hosts.PRINTS);
        host.getErrorStream().transferTo(java.io.OutputStream.nullOutputStream());
        assertEquals(0, host.waitFor());
    }

    @Test
    void noWorkerOutlivesItsHost() throws InterruptedException, IOException {
        for (String how : List.of(Hosts.EXITS, Hosts.WAITS, Hosts.STUCK)) {
            Process host = host(how);
            long pid;
            try (BufferedReader said = new BufferedReader(new InputStreamReader(host.getInputStream()))) {
                pid = Long.parseLong(said.readLine());
            }
            if (!how.equals(Hosts.EXITS)) {
                assertTrue(Python.isAlive(pid));
                Thread.sleep(how.equals(Hosts.STUCK) ? 1_000 : 0); // until C code keeps the interpreter to itself
                host.destroyForcibly();
            }
            host.waitFor();
            Python.until(() -> !Python.isAlive(pid), "a worker outlives its host that " + how);
        }
    }

    private static Process host(String how) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Disonomy.python=" + Python.interpreter(),
                        "-cp", System.getProperty("java.class.path"),
                        Hosts.class.getName(),
                        how)
                .start();
    }

    /** 20 kills under load: no call lost, none answered twice, none hanging. */
    @Test
    @Tag("slow")
    void killedWorkersUnderLoad(@TempDir Path folder) throws Exception {
        Map<String, ToolResponse> answers = new ConcurrentHashMap<>();
        AtomicInteger started = new AtomicInteger();
        AtomicInteger twice = new AtomicInteger();
        AtomicBoolean over = new AtomicBoolean();
        try (PythonTools tools = Python.acme().workers(3).start();
                ToolExecutor executor = ToolExecutor.of(tools.tools())) {
            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                Thread caller = new Thread(() -> {
                    while (!over.get()) {
                        String name = "call-" + started.incrementAndGet();
                        try {
                            ToolResponse response =
                                    executor.call("count", Map.of("folder", folder.toString(), "name", name));
                            if (answers.put(name, response) != null) {
                                twice.incrementAndGet();
                            }
                        } catch (InterruptedException unexpected) {
                            return;
                        }
                    }
                });
                caller.start();
                callers.add(caller);
            }
            Set<Long> killed = new HashSet<>();
            while (killed.size() < 20) {
                int before = answers.size();
                Python.until(() -> answers.size() > before + 20, "calls hang");
                for (long pid : tools.pids()) {
                    if (killed.add(pid)) {
                        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
                        break;
                    }
                }
            }
            over.set(true);
            for (Thread caller : callers) {
                caller.join(TimeUnit.SECONDS.toMillis(Python.HANG_SECONDS));
                assertFalse(caller.isAlive(), "a call hangs");
            }
        }
        assertEquals(0, twice.get());
        assertEquals(started.get(), answers.size());
        int lost = 0;
        for (Map.Entry<String, ToolResponse> each : answers.entrySet()) {
            Path mark = folder.resolve(each.getKey());
            long runs = Files.exists(mark) ? Files.size(mark) : 0;
            if (each.getValue().isSuccess()) {
                assertEquals(each.getKey(), each.getValue().unwrap());
                assertEquals(1, runs);
            } else {
                assertEquals(ErrorKind.CONNECTION_LOST, error(each.getValue()).kind());
                assertEquals(Effect.POSSIBLE, error(each.getValue()).effect());
                assertTrue(runs <= 1, "a call was sent twice");
                lost++;
            }
        }
        assertTrue(lost > 0, "no kill hit a call");
    }

    @Test
    @Tag("slow")
    void interruptsOfCallersHarmNoOtherCall() throws Exception {
        try (PythonTools tools = Python.acme().grace(Duration.ofSeconds(30)).start();
                ToolExecutor executor = ToolExecutor.of(tools.tools())) {
            Object pid = executor.call("pid", Map.of()).unwrap();
            AtomicBoolean over = new AtomicBoolean();
            AtomicInteger wrong = new AtomicInteger();
            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                boolean interrupted = i < 3;
                Thread caller = new Thread(() -> {
                    long number = 0;
                    while (!over.get()) {
                        try {
                            number++;
                            Object sum = executor.call("echo", Map.of("value", number)).unwrap();
                            if (!sum.equals(number)) {
                                wrong.incrementAndGet();
                            }
                        } catch (InterruptedException cancelled) {
                            if (!interrupted) {
                                wrong.incrementAndGet();
                            }
                        }
                    }
                });
                caller.start();
                callers.add(caller);
            }
            for (int i = 0; i < 3_000; i++) {
                callers.get(i % 3).interrupt();
                Thread.sleep(0, 300_000);
            }
            over.set(true);
            for (Thread caller : callers) {
                caller.join(TimeUnit.SECONDS.toMillis(Python.HANG_SECONDS));
                assertFalse(caller.isAlive(), "a call hangs");
            }
            assertEquals(0, wrong.get());
            assertEquals(pid, executor.call("pid", Map.of()).unwrap());
        }
    }
}
