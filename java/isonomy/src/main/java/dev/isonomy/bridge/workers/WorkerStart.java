// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.bridge.workers;

import dev.isonomy.bridge.WireSocket;
import dev.isonomy.contract.ChildProcess;
import dev.isonomy.contract.BrokenWireException;
import dev.isonomy.contract.Frame;
import dev.isonomy.contract.FrameType;
import dev.isonomy.contract.Handshake;
import dev.isonomy.contract.Handshake.Answer;
import dev.isonomy.contract.Handshake.Failed;
import dev.isonomy.contract.Handshake.Refused;
import dev.isonomy.contract.LogLine;
import dev.isonomy.contract.ProcessEnd;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The start of one worker, from its program to the tools that it has (W1.1 and W3 of spec/wire.md). */
final class WorkerStart {

    /** In this time a worker connects. */
    private static final long CONNECT_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** Between two looks at a process that may have ended instead. */
    private static final long LOOK_MILLIS = 20;
    /** In this time a killed process ends. */
    private static final long DEAD_MILLIS = 2_000;
    private static final long PROBE_MILLIS = 10_000;
    /** Bytes of the path of a socket that every system takes. */
    private static final int LONGEST_PATH = 90;

    private final Program program;
    private final long endsAt;
    private Process process;

    private WorkerStart(Program program) {
        this.program = program;
        this.endsAt = System.nanoTime() + program.timeout().toNanos();
    }

    /**
     * Starts a worker and waits until it is ready.
     *
     * @param begun given the process as soon as there is one; what kills it ends the start
     * @throws WorkerUnavailable it cannot be started, or not in time
     */
    static WorkerProcess of(Program program, Consumer<Process> begun) {
        WorkerStart start = new WorkerStart(program);
        WorkerProcess worker = null;
        try {
            worker = start.run(begun);
            return worker;
        } catch (BrokenWireException broken) {
            throw start.unavailable(" does not speak as a worker: " + broken.getMessage());
        } catch (IOException failed) {
            String what = start.process == null ? " cannot be started: " : " broke the connection: ";
            throw start.unavailable(what + failed.getMessage());
        } finally {
            if (worker == null && start.process != null) {
                ChildProcess failed = ChildProcess.of(start.process);
                failed.kill();
                failed.hasEnded(DEAD_MILLIS);
            }
        }
    }

    private WorkerProcess run(Consumer<Process> begun) throws IOException {
        Path folder = folder();
        Path path = folder.resolve("s");
        SocketChannel connected;
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(path), 1);
            process = process(path);
            begun.accept(process);
            connected = accept(server);
        } finally {
            Files.deleteIfExists(path);
            Files.deleteIfExists(folder);
        }
        WireSocket socket = new WireSocket(connected);
        WorkerProcess worker = null;
        try {
            worker = shakeHands(socket);
            return worker;
        } finally {
            if (worker == null) {
                socket.close();
            }
        }
    }

    /** A folder that only this user may enter. */
    private static Path folder() throws IOException {
        Path folder = Files.createTempDirectory("isonomy-");
        if (folder.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8).length <= LONGEST_PATH) {
            return folder;
        }
        Files.delete(folder);
        return Files.createTempDirectory(Path.of("/tmp"), "isonomy-");
    }

    private Process process(Path path) {
        List<String> words = new ArrayList<>(program.command());
        words.add(path.toString());
        ProcessBuilder builder = program.process(words);
        // The worker moves its standard output to its standard error before it does anything.
        builder.redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.INHERIT);
        try {
            return Spawner.start(builder);
        } catch (IOException failed) {
            if (program.folder() != null && !Files.isDirectory(program.folder())) {
                throw unavailable(
                        " cannot be started: its working directory " + program.folder() + " is no folder");
            }
            String why = failed.getCause() == null ? failed.getMessage() : failed.getCause().getMessage();
            throw unavailable(" cannot be started: " + words.get(0) + ": " + why + "; name another program");
        }
    }

    private SocketChannel accept(ServerSocketChannel server) throws IOException {
        long connectsAt = System.nanoTime() + CONNECT_NANOS;
        try (Selector selector = Selector.open()) {
            server.configureBlocking(false);
            server.register(selector, SelectionKey.OP_ACCEPT);
            while (true) {
                SocketChannel connected = server.accept();
                if (connected != null) {
                    return connected;
                }
                if (!process.isAlive()) {
                    throw neverBegan();
                }
                long now = System.nanoTime();
                if (now - connectsAt > 0 || now - endsAt > 0) {
                    throw unavailable(" did not connect in time");
                }
                requireNoInterrupt();
                selector.select(key -> {}, LOOK_MILLIS);
            }
        }
    }

    /** The start of a worker ends early where its thread is interrupted, which only a pool that closes does. */
    private void requireNoInterrupt() {
        if (Thread.currentThread().isInterrupted()) {
            throw unavailable(" was not started: the thread that waited for it was interrupted");
        }
    }

    private WorkerUnavailable neverBegan() {
        String why = reason();
        return unavailable(" ended before it began (" + ProcessEnd.of(process.exitValue()).words() + ")"
                + (why.isEmpty() ? "" : ": ") + why);
    }

    /** Asks why a program does not begin: the last line that it says of that. */
    private String reason() {
        if (program.probe().isEmpty()) {
            return "";
        }
        Path said = null;
        try {
            said = Files.createTempFile("isonomy-", ".txt");
            ProcessBuilder builder = program.process(program.probe());
            builder.redirectErrorStream(true).redirectOutput(said.toFile());
            ChildProcess probe = ChildProcess.of(builder.start());
            if (!probe.hasEnded(PROBE_MILLIS)) {
                probe.kill();
            }
            String text = new String(Files.readAllBytes(said), java.nio.charset.StandardCharsets.UTF_8);
            return text.lines().map(String::strip).filter(line -> !line.isEmpty()).reduce("", (last, line) -> line);
        } catch (IOException cannotBeAsked) {
            return "";
        } finally {
            delete(said);
        }
    }

    private static void delete(Path file) {
        try {
            if (file != null) {
                Files.deleteIfExists(file);
            }
        } catch (IOException leftBehind) {
            // a file of some lines in the folder for such
        }
    }

    // The handshake -------------------------------------------------------------------------------

    private WorkerProcess shakeHands(WireSocket socket) throws IOException {
        Frame hello = expect(socket, false);
        Answer answer = Handshake.answer(
                Handshake.readHello(hello.payload()), program.maxFrame(), program.tools(), program.path());
        socket.send(Handshake.frame(answer));
        if (answer instanceof Refused refused) {
            throw unavailable(" cannot be used: " + refused.message());
        }
        socket.limit(program.maxFrame());
        Frame told = expect(socket, true);
        if (told.type() == FrameType.FAILED) {
            Failed failed = Handshake.readFailed(told.payload());
            throw new WorkerUnavailable(program.what() + " is not ready: " + failed.message(), failed.trace());
        }
        List<Map<String, Object>> tools = Handshake.readReady(told.payload());
        return new WorkerProcess(process, new Link(socket), tools);
    }

    /** The hello; or, after it, whether the worker is ready. */
    private Frame expect(WireSocket socket, boolean welcomed) throws IOException {
        while (true) {
            boolean gone = !process.isAlive();
            Frame frame = socket.poll();
            if (frame == null) {
                if (gone || socket.ended()) {
                    throw endedEarly();
                }
                if (System.nanoTime() - endsAt > 0) {
                    throw unavailable(" was not ready within " + program.timeout().toMillis()
                            + " ms; see what it does while it is loaded, or give it more time to start");
                }
                requireNoInterrupt();
                socket.await(LOOK_MILLIS);
                continue;
            }
            if (welcomed ? frame.type() == FrameType.READY || frame.type() == FrameType.FAILED
                    : frame.type() == FrameType.HELLO) {
                return frame;
            }
            if (!welcomed || frame.type() != FrameType.LOG) {
                throw new BrokenWireException("a frame of type " + frame.type() + " where none may come");
            }
            WorkerLog.tell(LogLine.read(frame.payload()));
        }
    }

    private WorkerUnavailable endedEarly() {
        return ChildProcess.of(process).hasEnded(LOOK_MILLIS * 10)
                ? unavailable(" ended at its start (" + ProcessEnd.of(process.exitValue()).words() + ")")
                : unavailable(" closed its connection at its start");
    }

    private WorkerUnavailable unavailable(String what) {
        return new WorkerUnavailable(program.what() + what);
    }
}
