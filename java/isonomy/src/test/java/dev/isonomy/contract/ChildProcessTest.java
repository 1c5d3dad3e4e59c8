// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes and those that they start. */
@Timeout(60)
final class ChildProcessTest {

    private static ChildProcess shell(String script) throws IOException {
        return ChildProcess.start(new ProcessBuilder("sh", "-c", script));
    }

    /** The process whose number is the first line that another prints. */
    private static ProcessHandle told(ChildProcess child) throws IOException {
        String line = child.process().inputReader(StandardCharsets.US_ASCII).readLine();
        return ProcessHandle.of(Long.parseLong(line)).orElseThrow();
    }

    @Test
    void itIsEndedWithWhatItStarted() throws Exception {
        ChildProcess child = shell("sleep 60 & echo $!; wait");
        ProcessHandle inner = told(child);
        assertFalse(child.hasEnded(0));
        child.kill();
        assertTrue(child.hasEnded(10_000));
        inner.onExit().get(10, TimeUnit.SECONDS);
    }

    @Test
    void whatItLeavesBehindIsEnded() throws Exception {
        ChildProcess child = shell("sleep 60 & echo $!");
        ProcessHandle inner = told(child);
        assertTrue(child.hasEnded(10_000));
        assertEquals(0, child.process().exitValue());
        if (!Files.isExecutable(Path.of("/usr/bin/setsid"))) {
            inner.destroyForcibly();
            return; // the platform has no sessions that could be told
        }
        assertTrue(inner.isAlive());
        child.killRest();
        inner.onExit().get(10, TimeUnit.SECONDS);
    }

    @Test
    void whatWasSeenIsEnded() throws Exception {
        ChildProcess child = ChildProcess.of(new ProcessBuilder("sh", "-c", "sleep 60 & echo $!; read x").start());
        ProcessHandle inner = told(child);
        child.look();
        child.process().getOutputStream().close();
        assertTrue(child.hasEnded(10_000));
        child.killRest();
        inner.onExit().get(10, TimeUnit.SECONDS);
    }

    @Test
    void itIsAskedToEnd() throws Exception {
        ChildProcess child = shell("trap 'exit 7' TERM; echo 1; while :; do sleep 0.05; done");
        told(child);
        child.terminate();
        assertTrue(child.hasEnded(10_000));
        assertEquals(7, child.process().exitValue());
    }

    @Test
    void anInterruptIsKept() throws Exception {
        ChildProcess child = shell("exit 3");
        Thread.currentThread().interrupt();
        assertTrue(child.hasEnded(10_000));
        assertTrue(Thread.interrupted());
        assertEquals(3, child.process().exitValue());
    }

    @Test
    void programsAreFoundAsThePlatformFindsThem(@TempDir Path directory) throws Exception {
        assertThrows(IOException.class, () -> ChildProcess.start(new ProcessBuilder("no-such-program")));
        Path script = directory.resolve("program");
        Files.writeString(script, "#!/bin/sh\nexit 5\n");
        assertThrows(IOException.class, () -> ChildProcess.start(new ProcessBuilder(script.toString())));
        assertTrue(script.toFile().setExecutable(true));
        File here = directory.toFile();
        ChildProcess child = ChildProcess.start(new ProcessBuilder("./program").directory(here));
        assertTrue(child.hasEnded(10_000));
        assertEquals(5, child.process().exitValue());
    }
}
