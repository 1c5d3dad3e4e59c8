// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A process of ours, and those that it started, which are of no use without it. Which those are is known while it runs;
 * of one that was started in a session of its own also after its end, where the platform has {@code /proc}. Safe for use
 * by several threads.
 */
public final class ChildProcess {

    private static final Path PROC = Path.of("/proc");
    /** Runs a program as the first of a new session, in place of itself. */
    private static final Path SETSID = Path.of("/usr/bin/setsid");
    /** Which field of {@code /proc/PID/stat} behind the name tells the session. */
    private static final int SESSION = 3;

    private final Process process;
    private final boolean hasSession;
    private final Set<ProcessHandle> seen = ConcurrentHashMap.newKeySet();
    private volatile boolean isOver;

    private ChildProcess(Process process, boolean hasSession) {
        this.process = process;
        this.hasSession = hasSession;
    }

    /** A process that runs. */
    public static ChildProcess of(Process process) {
        return new ChildProcess(process, false);
    }

    /**
     * Starts a process, in a session of its own where the platform can.
     *
     * @throws IOException it cannot be started
     */
    public static ChildProcess start(ProcessBuilder builder) throws IOException {
        List<String> command = builder.command();
        Path program = Files.isExecutable(SETSID) && Files.isDirectory(PROC) ? found(builder) : null;
        if (program == null) { // which the platform says in its own words
            return of(builder.start());
        }
        List<String> session = new ArrayList<>(List.of(SETSID.toString(), program.toString()));
        session.addAll(command.subList(1, command.size()));
        return new ChildProcess(builder.command(session).start(), true);
    }

    /** The program of a command where the platform would find it, null where that is nowhere. */
    private static Path found(ProcessBuilder builder) {
        String name = builder.command().get(0);
        if (name.indexOf('/') >= 0) {
            Path directory = builder.directory() == null ? Path.of("") : builder.directory().toPath();
            return executable(directory.resolve(name));
        }
        String path = System.getenv("PATH");
        return Stream.of((path == null ? "" : path).split(":"))
                .map(each -> executable(Path.of(each, name)))
                .filter(each -> each != null)
                .findFirst()
                .orElse(null);
    }

    private static Path executable(Path program) {
        return Files.isRegularFile(program) && Files.isExecutable(program) ? program.toAbsolutePath() : null;
    }

    /** The process itself. */
    public Process process() {
        return process;
    }

    /** Waits for the end of the process; false where that took longer. An interrupt is kept for later. */
    public boolean hasEnded(long millis) {
        boolean interrupted = Thread.interrupted();
        try {
            long endsAt = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
            while (true) {
                try {
                    return process.waitFor(endsAt - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException later) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Looks which processes it has started; those are known after its end. */
    public void look() {
        process.descendants().forEach(seen::add);
    }

    /** Asks it and what it started to end. */
    public void terminate() {
        look();
        process.toHandle().destroy(); // the other way closes its streams as well
        rest().forEach(ProcessHandle::destroy);
    }

    /** Ends it and what it started, at once. */
    public void kill() {
        if (process.isAlive()) {
            look();
            process.destroyForcibly();
        }
        killRest();
    }

    /** Ends what it has left behind; to be called soon after its end, and without effect after the first time then. */
    public void killRest() {
        boolean last = !process.isAlive();
        rest().forEach(ProcessHandle::destroyForcibly);
        seen.clear();
        if (last) {
            isOver = true;
        }
    }

    private List<ProcessHandle> rest() {
        List<ProcessHandle> rest = new ArrayList<>(seen);
        if (hasSession && !isOver) { // later its number may be another's
            ProcessHandle.allProcesses()
                    .filter(each -> each.pid() != process.pid() && sessionOf(each.pid()) == process.pid())
                    .forEach(rest::add);
        }
        return rest;
    }

    /** The session of a process, -1 where that cannot be told. */
    private static long sessionOf(long pid) {
        try {
            String stat = Files.readString(PROC.resolve(pid + "/stat"), StandardCharsets.ISO_8859_1);
            String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ");
            return Long.parseLong(fields[SESSION]);
        } catch (IOException | NumberFormatException | IndexOutOfBoundsException gone) {
            return -1;
        }
    }
}
