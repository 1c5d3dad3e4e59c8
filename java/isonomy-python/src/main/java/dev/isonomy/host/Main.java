// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.host;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.isonomy.bridge.workers.WorkerUnavailable;
import dev.isonomy.contract.Event;
import dev.isonomy.contract.ExecutionEvent;
import dev.isonomy.contract.Journal;
import dev.isonomy.contract.JournalException;
import dev.isonomy.contract.JournalMismatch;
import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.Portable;
import dev.isonomy.contract.ResponseEvent;
import dev.isonomy.contract.Sink;
import dev.isonomy.contract.ToolRequest;
import dev.isonomy.contract.Wire;
import dev.isonomy.journal.SqliteJournal;
import dev.isonomy.observe.MemorySink;
import dev.isonomy.observe.Metrics;
import dev.isonomy.observe.MetricsSnapshot;
import dev.isonomy.runtime.BatchOptions;
import dev.isonomy.runtime.ToolExecutor;
import dev.isonomy.runtime.ToolExecutorBuilder;
import dev.isonomy.tools.BoundTool;
import dev.isonomy.tools.ToolRegistry;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs batches of calls that come as lines of JSON on the standard input.
 *
 * <p>The first line has the settings ({@link Settings}); it is answered with {@code {"ready": true}}, or with
 * {@code {"refused": MESSAGE}} and exit code 2, with {@code source} (the name of a list of the settings, and an index of
 * it) where it is about one of these. Each further line is a batch: {@code request} (clause 8.2, as text),
 * {@code parallel}, {@code deadline_ms}, {@code call_deadline_ms} (null: none) and {@code fail_fast}; its answer is a line
 * with {@code response}, the response event (clause 8.3), and, where the settings ask for a report, {@code executions} (the
 * execution events of clause 9.1) and {@code metrics} (of all calls so far: {@code tool}, {@code kind}, {@code count}). Where
 * they ask to watch, lines with {@code execution}, one such event, come before it, each when it is made. The process ends
 * with its input. What tools print goes to the standard error.
 */
public final class Main {

    private final OutputStream out;
    private final MemorySink memory = new MemorySink();
    private final Metrics metrics = new Metrics();

    private Main(OutputStream out) {
        this.out = out;
    }

    /** Runs until the input ends. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        OutputStream answers = new FileOutputStream(FileDescriptor.out);
        System.setOut(new PrintStream(new FileOutputStream(FileDescriptor.err), true, UTF_8));
        HostLog.install();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
            if (!new Main(answers).serve(lines)) {
                System.exit(2);
            }
        }
        System.exit(0); // threads of tools do not keep the process
    }

    private boolean serve(BufferedReader lines) throws IOException, InterruptedException {
        Settings settings = Settings.read(lines.readLine());
        try (Journal journal = settings.journal() == null ? null : SqliteJournal.open(Path.of(settings.journal()));
                PythonSources python = PythonSources.start(settings.python());
                McpSources servers = McpSources.start(settings.mcp());
                ToolExecutor executor = executor(settings, python.tools(), servers.tools())) {
            answer(Map.of("ready", true));
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                memory.clear();
                ResponseEvent event = run(executor, journal, Settings.object(Portable.decode(line), "the options of a batch"));
                answer(settings.report() ? report(event) : Map.of("response", text(Wire.encode(event))));
            }
            return true;
        } catch (SourceRefused refused) {
            answer(Map.of("refused", refused.getMessage(), "source", List.of(refused.section(), refused.at())));
            return false;
        } catch (Misuse | WorkerUnavailable | JournalException | JournalMismatch refused) {
            answer(Map.of("refused", refused.getMessage()));
            return false;
        }
    }

    private ToolExecutor executor(Settings settings, List<BoundTool> python, List<BoundTool> servers) {
        List<BoundTool> tools = new ArrayList<>(python);
        for (Settings.JavaSource source : settings.java()) {
            ToolRegistry named = ToolRegistry.referenced(Main.class.getClassLoader(), List.of(source.reference()));
            named.all().stream()
                    .filter(tool -> source.only() == null || source.only().contains(tool.spec().name()))
                    .forEach(tools::add);
        }
        tools.addAll(servers);
        ToolExecutorBuilder builder = ToolExecutor.builder()
                .tools(tools)
                .inject(settings.inject())
                .sink(memory)
                .sink(metrics);
        if (settings.watch()) {
            builder.sink(new Watched());
        }
        if (settings.maxResultBytes() != null) {
            builder.maxResultBytes(settings.maxResultBytes());
        }
        if (settings.strictValues() != null) {
            builder.strictValues(settings.strictValues());
        }
        if (settings.maxThreads() != null) {
            builder.maxThreads(Math.toIntExact(settings.maxThreads()));
        }
        if (settings.identityKey() != null) {
            builder.identityKey(settings.identityKey());
        }
        return builder.build();
    }

    private static ResponseEvent run(ToolExecutor executor, Journal journal, Map<?, ?> batch) throws InterruptedException {
        ToolRequest request = Wire.decodeRequest(((String) batch.get("request")).getBytes(UTF_8));
        BatchOptions options = new BatchOptions(
                batch.get("parallel") instanceof Long parallel ? Math.toIntExact(parallel) : 1,
                Settings.duration(batch.get("deadline_ms")),
                Settings.duration(batch.get("call_deadline_ms")),
                Boolean.TRUE.equals(batch.get("fail_fast")),
                journal);
        return executor.run(request, options);
    }

    private Map<String, Object> report(ResponseEvent event) {
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("response", text(Wire.encode(event)));
        report.put(
                "executions",
                memory.executions().stream().map(each -> text(Wire.encode(each))).toList());
        report.put("metrics", metrics.snapshot().calls().entrySet().stream()
                .map(each -> counted(each.getKey(), each.getValue()))
                .toList());
        return report;
    }

    private static Map<String, Object> counted(MetricsSnapshot.Key key, long count) {
        Map<String, Object> counted = new LinkedHashMap<>();
        counted.put("tool", key.tool());
        counted.put("kind", key.kind() == null ? null : key.kind().wire());
        counted.put("count", count);
        return counted;
    }

    /** Events cross as text, so that what looks like a tag in them is not read as one on the way. */
    private static String text(byte[] json) {
        return new String(json, UTF_8);
    }

    /** Writes each execution event where it is made, before the answer of its batch. */
    private final class Watched implements Sink {
        @Override
        public void emit(Event event) {
            if (event instanceof ExecutionEvent execution) {
                try {
                    answer(Map.of("execution", text(Wire.encode(execution))));
                } catch (IOException gone) {
                    throw new UncheckedIOException(gone); // nobody reads: the answer will fail as well
                }
            }
        }

        @Override
        public boolean direct() {
            return true;
        }
    }

    private synchronized void answer(Map<String, ?> answer) throws IOException {
        byte[] line = Portable.encode(answer);
        byte[] ended = java.util.Arrays.copyOf(line, line.length + 1);
        ended[line.length] = '\n';
        out.write(ended);
        out.flush();
    }
}
