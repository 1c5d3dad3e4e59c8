// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.python;

import dev.isonomy.bridge.workers.Program;
import dev.isonomy.bridge.workers.WorkerPool;
import dev.isonomy.contract.Frame;
import dev.isonomy.contract.Misuse;
import dev.isonomy.tools.BoundTool;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The tools of Python modules: every function under {@code @tool}, with its name, description and schema. Their bodies
 * run in worker processes of a Python in which the package {@code isonomy} is installed.
 *
 * <pre>{@code
 * try (PythonTools acme = PythonTools.module("acme.tools").workers(2).python(Path.of(".venv")).start();
 *         ToolExecutor executor = ToolExecutor.of(acme.tools())) {
 *     executor.call("price", Map.of("sku", "a1")).unwrap();
 * }
 * }</pre>
 *
 * <p>Calls run side by side, over the workers and within each. A worker that dies gives {@code connection_lost} to the
 * calls that it had, whose effect is {@code possible}, and is replaced; nothing is sent twice. A call whose caller is
 * interrupted or whose deadline passes is cancelled in Python; where its body does not end within the grace, its worker
 * is replaced, and killed at the latest after the same time again. What tools print goes to the standard error of this
 * process; what they log goes to loggers of the platform with the same names. Safe for use by several threads.
 */
public final class PythonTools implements AutoCloseable {

    private final WorkerPool pool;
    private final List<BoundTool> tools;

    private PythonTools(WorkerPool pool) {
        this.pool = pool;
        this.tools = pool.begin();
    }

    /** Tools of these modules, as {@code import} names them, with every setting at its default. */
    public static Builder module(String... modules) {
        return new Builder(modules);
    }

    /** The tools, in the order of the modules; for {@code ToolExecutor.of}, its builder, or {@code ToolRegistry.of}. */
    public List<BoundTool> tools() {
        return tools;
    }

    /** The processes of the workers that get calls now. */
    public List<Long> pids() {
        return pool.pids();
    }

    /**
     * Ends the workers; calls in flight have the grace to end. More calls do nothing. Without it they end with this
     * process, however that ends.
     */
    @Override
    public void close() {
        pool.close();
    }

    /** What workers are started with. Not for several threads at once. */
    public static final class Builder {

        /** Fails as a worker does, with a last line that says why; every Python 3 can run it. */
        private static final String PROBE =
                """
                import sys
                try:
                    import isonomy.worker.__main__
                except ImportError as missing:
                    if missing.name != "isonomy":
                        raise
                    sys.exit(
                        "%s: %s; install isonomy into this Python, or name one that has it"
                        % (type(missing).__name__, missing)
                    )
                """;

        private static final int MOST_MAX_FRAME = Integer.MAX_VALUE - 64;

        private final List<String> modules;
        private final Map<String, String> environment = new HashMap<>();
        private final List<String> path = new ArrayList<>();
        private int workers = 1;
        private int callsPerWorker;
        private Path python;
        private Path folder;
        private Duration startTimeout = Duration.ofSeconds(30);
        private Duration grace = Duration.ofSeconds(1);
        private int maxFrame = 64 * 1024 * 1024;

        private Builder(String... modules) {
            this.modules = List.of(modules);
            if (this.modules.isEmpty() || this.modules.stream().anyMatch(String::isBlank)) {
                throw new Misuse("Python tools need the names of their modules, as \"acme.tools\"; got "
                        + Arrays.toString(modules));
            }
        }

        /** How many processes there are; 1 by default. */
        public Builder workers(int number) {
            workers = atLeast(1, number, "workers");
            return this;
        }

        /**
         * The interpreter, or the folder of a virtual environment. By default the virtual environment that is active
         * (VIRTUAL_ENV), else {@code python3} from the PATH.
         */
        public Builder python(Path interpreter) {
            python = interpreter;
            return this;
        }

        /** Environment variables beside, or in place of, those of this process. */
        public Builder environment(Map<String, String> variables) {
            environment.putAll(variables);
            return this;
        }

        /** The working directory; that of this process by default. */
        public Builder workingDirectory(Path directory) {
            folder = directory;
            return this;
        }

        /** Folders to import from before all others; the working directory is none by itself. */
        public Builder path(Path... folders) {
            for (Path each : folders) {
                path.add(each.toAbsolutePath().toString());
            }
            return this;
        }

        /** How long a worker has to import the modules; 30 seconds by default. */
        public Builder startTimeout(Duration timeout) {
            if (timeout.isNegative() || timeout.isZero()) {
                throw new Misuse("startTimeout is positive, got " + timeout);
            }
            startTimeout = timeout;
            return this;
        }

        /**
         * How many calls a worker has at most at the same time; no limit by default. With 1 a call has a worker of its
         * own, and no other is lost where it must be killed.
         */
        public Builder callsPerWorker(int number) {
            callsPerWorker = atLeast(1, number, "callsPerWorker");
            return this;
        }

        /** How long a body may take to end once its call was cancelled, and calls once this is closed; 1 second by default. */
        public Builder grace(Duration duration) {
            if (duration.isNegative()) {
                throw new Misuse("grace is not negative, got " + duration);
            }
            grace = duration;
            return this;
        }

        /** The most bytes that the arguments or the result of a call may take; 64 MiB by default. */
        public Builder maxFrame(int bytes) {
            maxFrame = Math.min(atLeast(Frame.LEAST_LIMIT, bytes, "maxFrame"), MOST_MAX_FRAME);
            return this;
        }

        /**
         * Starts the workers and returns their tools.
         *
         * @throws dev.isonomy.bridge.workers.WorkerUnavailable a worker cannot be started, or a module not be imported;
         *     the message says which interpreter, which module, and why
         */
        public PythonTools start() {
            String interpreter = interpreter();
            // -P: a file in the working directory is not to stand in for a module that a worker needs. Not in the probe:
            // a Python that is too old for it is to be told that it lacks isonomy.
            Program program = new Program(
                    interpreter,
                    "python",
                    List.of(interpreter, "-P", "-m", "isonomy.worker"),
                    List.of(interpreter, "-c", PROBE),
                    modules,
                    path,
                    environment,
                    folder,
                    startTimeout,
                    maxFrame);
            return new PythonTools(new WorkerPool(program, workers, callsPerWorker, grace));
        }

        private String interpreter() {
            Path named = python;
            if (named == null) {
                String active = System.getenv("VIRTUAL_ENV");
                if (active == null || active.isEmpty()) {
                    return "python3";
                }
                named = Path.of(active);
            }
            return Files.isDirectory(named) ? named.resolve("bin").resolve("python").toString() : named.toString();
        }

        private static int atLeast(int least, int number, String what) {
            if (number < least) {
                throw new Misuse(what + " is at least " + least + ", got " + number);
            }
            return number;
        }
    }
}
