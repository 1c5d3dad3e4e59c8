// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.python;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.bridge.workers.WorkerUnavailable;
import dev.isonomy.contract.Misuse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Workers that do not start: what is said of it, in bounded time, with nothing left behind. */
final class StartTest {

    private static WorkerUnavailable refused(PythonTools.Builder builder) {
        long began = System.nanoTime();
        WorkerUnavailable refused = assertThrows(WorkerUnavailable.class, builder::start);
        assertTrue(System.nanoTime() - began < 30_000_000_000L, "a dead start is told of soon");
        assertEquals(0, ProcessHandle.current().children().filter(child -> child.info().command().orElse("").contains("python")).count());
        return refused;
    }

    private static void says(WorkerUnavailable refused, String... parts) {
        for (String part : parts) {
            assertTrue(refused.getMessage().contains(part), refused.getMessage());
        }
    }

    private static Path script(Path folder, String text) throws IOException {
        Path script = Files.writeString(folder.resolve("python"), "#!/bin/sh\n" + text + "\n");
        return Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    }

    @Test
    void anInterpreterThatIsNotThere() {
        says(refused(PythonTools.module("acme_tools").python(Path.of("/no/such/python"))),
                "/no/such/python", "acme_tools", "No such file");
    }

    @Test
    void anInterpreterWithoutIsonomy(@TempDir Path folder) throws IOException {
        Path interpreter = Python.interpreter();
        // Isolated and without site-packages, as an interpreter would be in which nothing is installed.
        Path bare = script(folder, "exec " + interpreter + " -I -S \"$@\"");
        says(refused(PythonTools.module("acme_tools").python(bare)),
                bare.toString(), "acme_tools", "exit code 1", "No module named 'isonomy'; install isonomy into this Python, or name one that has it");
    }

    @Test
    void aProgramThatIsNoPython(@TempDir Path folder) throws IOException {
        says(refused(PythonTools.module("acme_tools").python(script(folder, "echo what? >&2; exit 3"))),
                "exit code 3", "what?");
    }

    @Test
    void aModuleThatIsNotThere() {
        WorkerUnavailable refused = refused(Python.of("acme_missing").workers(3));
        says(refused, Python.interpreter().toString(), "acme_missing", "No module named");
    }

    @Test
    void aModuleThatCannotBeImported() {
        WorkerUnavailable refused = refused(Python.of("acme_broken"));
        says(refused, "acme_broken", "no database");
        assertTrue(refused.trace().contains("LookupError"), refused.trace());
    }

    @Test
    void aModuleWhoseImportEndsTheProcess() {
        says(refused(Python.of("acme_dies")), "acme_dies", "exit code 5");
    }

    @Test
    void aModuleThatTakesTooLong() {
        says(refused(Python.of("acme_slow_start").startTimeout(Duration.ofSeconds(2))), "acme_slow_start", "2000 ms");
    }

    @Test
    void aFolderThatIsNotThere() {
        says(refused(Python.acme().workingDirectory(Path.of("/no/such/folder"))), "/no/such/folder");
    }

    @Test
    void aProgramThatConnectsAndSpeaksOtherwise(@TempDir Path folder) throws IOException {
        String program = "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[-1]);"
                + " s.sendall(%s); s.recv(1)";
        for (List<String> each : List.of(
                List.of("b'GET / HTTP/1.1' * 9", "does not speak as a worker"),
                List.of("b'\\\\0\\\\0\\\\0\\\\x4a\\\\1' + b'\\\\0' * 8 + b'{\"wire\":[7],\"language\":\"python\",\"isonomy\":\"9.0\",\"pid\":1}'.ljust(65)",
                        "the worker speaks wire versions [7], this host [1]"))) {
            String code = String.format(program, each.get(0).replace("\\\\", "\\"));
            Path fake = script(folder, "exec " + Python.interpreter() + " -c '" + code.replace("'", "'\"'\"'") + "' \"$@\"");
            says(refused(PythonTools.module("acme_tools").python(fake)), each.get(1));
        }
    }

    @Test
    void misuse() {
        assertThrows(Misuse.class, PythonTools::module);
        assertThrows(Misuse.class, () -> PythonTools.module(" "));
        assertThrows(Misuse.class, () -> PythonTools.module("a").workers(0));
        assertThrows(Misuse.class, () -> PythonTools.module("a").callsPerWorker(0));
        assertThrows(Misuse.class, () -> PythonTools.module("a").maxFrame(1));
        assertThrows(Misuse.class, () -> PythonTools.module("a").startTimeout(Duration.ZERO));
        assertThrows(Misuse.class, () -> PythonTools.module("a").grace(Duration.ofSeconds(-1)));
    }
}
