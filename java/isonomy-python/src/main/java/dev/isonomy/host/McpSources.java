// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.host;

import dev.isonomy.contract.Misuse;
import dev.isonomy.mcp.McpServer;
import dev.isonomy.mcp.McpServerBuilder;
import dev.isonomy.mcp.McpUnavailable;
import dev.isonomy.tools.BoundTool;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The MCP servers of a host (clause 14), each with a session of its own. */
final class McpSources implements AutoCloseable {

    private final List<McpServer> started = new ArrayList<>();

    private McpSources() {}

    /**
     * Begins the sessions of all servers, or of none.
     *
     * @throws SourceRefused a server cannot be used, or not be reached though the settings do not name its tools
     */
    static McpSources start(List<Settings.McpSource> sources) {
        McpSources all = new McpSources();
        boolean complete = false;
        try {
            for (int at = 0; at < sources.size(); at++) {
                all.started.add(started(at, sources.get(at)));
            }
            complete = true;
            // A host that is told to end, by a signal, leaves none behind, not even one that is deaf to it.
            Runtime.getRuntime().addShutdownHook(new Thread(all::close, "isonomy-host-mcp-end"));
            return all;
        } finally {
            if (!complete) {
                all.close();
            }
        }
    }

    private static McpServer started(int at, Settings.McpSource source) {
        try {
            return built(source).start();
        } catch (Misuse | McpUnavailable refused) {
            throw new SourceRefused("mcp", at, refused);
        }
    }

    private static McpServerBuilder built(Settings.McpSource source) {
        McpServerBuilder builder = source.url() == null
                ? McpServer.command(source.command().toArray(String[]::new)).environment(source.env())
                : McpServer.url(source.url());
        source.headers().forEach(builder::header);
        builder.name(source.name());
        if (source.cwd() != null) {
            builder.directory(Path.of(source.cwd()));
        }
        if (source.timeout() != null) {
            builder.timeout(source.timeout());
        }
        if (source.startTimeout() != null) {
            builder.startTimeout(source.startTimeout());
        }
        if (source.maxReply() != null) {
            builder.maxReply((int) Math.min(source.maxReply(), Integer.MAX_VALUE));
        }
        if (source.tools() != null) {
            builder.tools(source.tools().toArray(String[]::new));
        }
        return builder;
    }

    /** The tools of all servers, in their order. */
    List<BoundTool> tools() {
        return started.stream().flatMap(each -> each.tools().stream()).toList();
    }

    /** Ends all sessions, side by side: a server may take seconds to end. */
    @Override
    public void close() {
        List<Thread> closing = started.stream().map(each -> new Thread(each::close, "isonomy-host-mcp-close")).toList();
        closing.forEach(Thread::start);
        for (Thread each : closing) {
            try {
                each.join();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
