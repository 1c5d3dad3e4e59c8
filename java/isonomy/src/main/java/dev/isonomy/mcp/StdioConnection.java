// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import dev.isonomy.contract.ChildProcess;
import dev.isonomy.contract.Effect;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.ProcessEnd;
import dev.isonomy.contract.Settled;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A server that is a process of ours and speaks over its standard streams. One thread writes, so that whoever waits for
 * a reply can be interrupted even where the server does not read; one reads, and one waits for the end of the process.
 */
final class StdioConnection extends Connection {

    /** What of our environment a server sees; anything else may be a secret. */
    private static final Set<String> PASSED_ON =
            Set.of("HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER");

    private static final int CHUNK = 65_536;
    /** What is so short goes into a pipe whole or not at all. */
    private static final int WHOLE = 4_096;
    /** Messages that may wait to be written; a server that asks and does not read gets no more answers. */
    private static final int MOST_UNREAD = 10_000;
    /** In this time what an ended server wrote arrives: a child of it may hold the pipe open. */
    private static final long DRAIN_MILLIS = 200;
    /** In this time the end of a process follows the end of its output. */
    private static final long BETWEEN_MILLIS = 50;
    /** In this time a server ends once its input has; then as much again after a request to end. */
    private static final long GRACE_MILLIS = 2_000;

    /** In this time one that does not read any more has to end, so that its end can be told. */
    private static final long LAST_WORDS_MILLIS = 500;

    private static final Set<ChildProcess> RUNNING = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(
                new Thread(() -> RUNNING.forEach(ChildProcess::terminate), "isonomy-mcp-end"));
    }

    /** One message to be written; {@code pending} is null for what nobody waits for. */
    private record Outgoing(byte[] data, Pending pending) {}

    private static final Outgoing LAST = new Outgoing(new byte[0], null);

    private final ChildProcess child;
    private final Process process;
    private final BlockingQueue<Outgoing> outgoing = new LinkedBlockingQueue<>();
    private final Thread reader;

    private StdioConnection(String name, ChildProcess child, int cap, ServerLog log, Runnable changed) {
        super(name, cap, log, changed);
        this.child = child;
        this.process = child.process();
        this.reader = daemon("isonomy-mcp-read", this::read);
    }

    /**
     * Starts a server.
     *
     * @param environment variables beside those that every server gets
     * @param directory its working directory, null for ours
     * @throws Unreachable the process cannot be started
     */
    static StdioConnection open(
            String name,
            List<String> command,
            Map<String, String> environment,
            File directory,
            int cap,
            ServerLog log,
            Runnable changed)
            throws Unreachable {
        if (directory != null && !directory.isDirectory()) { // the platform would name the program
            throw new Unreachable("its working directory " + directory + " is no folder");
        }
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(directory).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().keySet().retainAll(PASSED_ON);
        try {
            builder.environment().putAll(environment);
            StdioConnection opened = new StdioConnection(name, ChildProcess.start(builder), cap, log, changed);
            RUNNING.add(opened.child);
            opened.reader.start();
            daemon("isonomy-mcp-write", opened::write).start();
            daemon("isonomy-mcp-watch", opened::watch).start();
            return opened;
        } catch (IOException | IllegalArgumentException refused) {
            Throwable reason = refused.getCause() == null ? refused : refused.getCause();
            String said = String.valueOf(reason.getMessage()).replaceFirst("^error=\\d+, ", "");
            throw new Unreachable(command.get(0) + " cannot be started (" + said + ")");
        }
    }

    // Sending -------------------------------------------------------------------------------------

    @Override
    void send(Pending pending, byte[] message) {
        outgoing.add(new Outgoing(message, pending));
    }

    @Override
    void tell(byte[] message) {
        if (outgoing.size() < MOST_UNREAD) {
            outgoing.add(new Outgoing(message, null));
        }
    }

    /** One that is not written yet is taken back, and the server need not know of it. */
    @Override
    void giveUp(Pending pending) {
        if (!outgoing.removeIf(each -> each.pending() == pending)) {
            super.giveUp(pending);
        }
    }

    private void write() {
        OutputStream input = process.getOutputStream();
        try {
            Outgoing next = outgoing.take();
            while (next != LAST && written(input, next)) {
                next = outgoing.take();
            }
        } catch (InterruptedException nobodyDoesThat) {
            // as if it were the last
        }
        closeQuietly(input);
        // A server that does not read any more may go on, and is of no use.
        if (!isOver() && !child.hasEnded(BETWEEN_MILLIS + DRAIN_MILLIS)) {
            noneIsSent();
            end(this::broke);
            child.kill();
        }
    }

    private void noneIsSent() {
        outgoing.forEach(each -> notSent(each.pending()));
    }

    private boolean written(OutputStream input, Outgoing next) {
        byte[] line = Arrays.copyOf(next.data(), next.data().length + 1);
        line[line.length - 1] = '\n';
        boolean begun = false;
        try {
            int first = Math.min(line.length, WHOLE);
            input.write(line, 0, first);
            input.flush();
            begun = true;
            input.write(line, first, line.length - first);
            input.flush();
            return true;
        } catch (IOException broken) {
            if (!begun) {
                child.hasEnded(LAST_WORDS_MILLIS);
                notSent(next.pending());
            }
            return false; // the end of the process ends what waits
        }
    }

    private void notSent(Pending pending) {
        if (pending != null) {
            pending.end(new Ended.NotSent(howItEnded(), true));
        }
    }

    @Override
    String howItEnded() {
        return isOver() || process.isAlive() ? super.howItEnded() : ended().error().message();
    }

    // Receiving -----------------------------------------------------------------------------------

    private void read() {
        Lines lines = new Lines(cap, this);
        InputStream output = process.getInputStream();
        byte[] chunk = new byte[CHUNK];
        try {
            for (int ends = 0; ends < 2; ) {
                int count = output.read(chunk);
                if (count > 0) {
                    lines.feed(chunk, count);
                } else if (process.isAlive()) {
                    break;
                } else {
                    ends++; // once more: at the end of a process the platform puts what is left aside
                }
            }
        } catch (IOException broken) {
            // the end
        } finally {
            // The end of the output alone: the process may go on, and is of no use.
            if (!child.hasEnded(BETWEEN_MILLIS) && end(this::broke)) {
                child.kill();
            }
        }
    }

    private void watch() {
        process.onExit().join();
        RUNNING.remove(child);
        try {
            reader.join(DRAIN_MILLIS);
        } catch (InterruptedException nobodyDoesThat) {
            // then without what is left
        }
        noneIsSent();
        end(this::ended);
        child.killRest();
        outgoing.add(LAST);
    }

    private Settled broke() {
        return lost("the connection broke", null);
    }

    private Settled ended() {
        ProcessEnd end = ProcessEnd.of(process.exitValue());
        return lost(end.words(), end.details());
    }

    private Settled lost(String how, Map<String, Object> details) {
        return Replies.settled(
                ErrorKind.CONNECTION_LOST, "the MCP server " + name + " ended (" + how + ")", Effect.POSSIBLE, details);
    }

    // The end -------------------------------------------------------------------------------------

    /** Ends the process: its input ends, then it is asked to end, then it has to. */
    @Override
    public void close() {
        end(this::broke);
        child.look();
        outgoing.add(LAST);
        if (!child.hasEnded(GRACE_MILLIS)) {
            child.terminate();
            child.hasEnded(GRACE_MILLIS);
        }
        child.kill();
    }

    private static void closeQuietly(OutputStream input) {
        try {
            input.close();
        } catch (IOException ended) {
            // there is nobody to read what was left
        }
    }
}
