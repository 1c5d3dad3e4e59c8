// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.host;

import dev.isonomy.python.PythonTools;
import dev.isonomy.tools.BoundTool;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The Python tools of a host: each source has workers of its own, which no tool of another can take along. */
final class PythonSources implements AutoCloseable {

    private final List<PythonTools> started = new ArrayList<>();

    private PythonSources() {}

    /**
     * Starts the workers of all sources, or of none.
     *
     * @throws dev.isonomy.bridge.workers.WorkerUnavailable those of a source cannot be started
     */
    static PythonSources start(List<Settings.PythonSource> sources) {
        PythonSources all = new PythonSources();
        boolean complete = false;
        try {
            sources.forEach(source -> all.started.add(started(source)));
            complete = true;
            return all;
        } finally {
            if (!complete) {
                all.close();
            }
        }
    }

    private static PythonTools started(Settings.PythonSource source) {
        return PythonTools.module(source.tools().toArray(String[]::new))
                .python(Path.of(source.python()))
                .path(source.path().stream().map(Path::of).toArray(Path[]::new))
                .workers(source.workers())
                .start();
    }

    /** The tools of all sources, in their order. */
    List<BoundTool> tools() {
        return started.stream().flatMap(each -> each.tools().stream()).toList();
    }

    @Override
    public void close() {
        started.forEach(PythonTools::close);
    }
}
