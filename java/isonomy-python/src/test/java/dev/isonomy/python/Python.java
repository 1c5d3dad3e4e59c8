// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.python;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** The Python that tests run tools in. */
final class Python {

    /** Far beyond what any machine needs. */
    static final long HANG_SECONDS = 60;

    private Python() {}

    /** The interpreter; a test that asks is skipped where there is none. */
    static Path interpreter() {
        String named = System.getProperty("isonomy.python", "");
        assumeTrue(!named.isEmpty(), "no Python with isonomy was named (-Disonomy.python=.venv/bin/python)");
        return Path.of(named);
    }

    /** The folder of the modules of these tests. */
    static Path modules() {
        return Path.of("src", "test", "python");
    }

    static PythonTools.Builder of(String... modules) {
        return PythonTools.module(modules).python(interpreter()).path(modules());
    }

    static PythonTools.Builder acme() {
        return of("acme_tools");
    }

    static void until(BooleanSupplier reached, String what) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(HANG_SECONDS);
        while (!reached.getAsBoolean()) {
            assertTrue(System.nanoTime() - end < 0, what);
            Thread.sleep(2);
        }
    }

    static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }
}
