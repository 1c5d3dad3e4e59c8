// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import dev.isonomy.contract.Effect;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Outcome;
import dev.isonomy.contract.Portable;
import dev.isonomy.contract.Settled;
import dev.isonomy.tools.BoundTool;
import dev.isonomy.tools.OutputSchema;
import dev.isonomy.tools.ToolContext;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The tools of an MCP server (clause 14).
 *
 * <pre>{@code
 * try (McpServer time = McpServer.command("uvx", "mcp-server-time").name("time").start();
 *         ToolExecutor executor = ToolExecutor.of(time.tools())) {
 *     executor.call("get_current_time", Map.of("timezone", "UTC"));
 * }
 * }</pre>
 *
 * Safe for use by several threads, which share one session. A session that was lost is opened again by the next call;
 * nothing that may have been run is ever sent again (clause 14.11).
 */
public final class McpServer implements AutoCloseable {

    private final String name;
    private final String quoted;
    private final ServerLog log;
    private final Session session;
    private final McpServerBuilder settings;
    private final List<BoundTool> tools;
    private volatile Map<String, McpTool> current = Map.of();
    /** Whether what the server offers was never read. */
    private volatile boolean unknown;

    McpServer(McpServerBuilder settings) {
        this.settings = settings;
        this.name = settings.name;
        this.quoted = Portable.quoted(name);
        this.log = new ServerLog(quoted);
        this.session = new Session(settings, log, this::read);
        try {
            session.opened();
        } catch (Unreachable unreachable) {
            if (settings.allowed == null) {
                throw new McpUnavailable(says(unreachable));
            }
            log.warn("it cannot be reached: " + unreachable.getMessage());
            unknown = true;
            current = placeholders();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new McpUnavailable(says(new Unreachable("the thread was interrupted")));
        }
        this.tools = List.copyOf(current.values());
    }

    /** A server that is a process of ours and speaks over its standard streams: its program and its arguments. */
    public static McpServerBuilder command(String... command) {
        return new McpServerBuilder(Arrays.asList(command));
    }

    /** A server that is reached by streamable HTTP. */
    public static McpServerBuilder url(String url) {
        return new McpServerBuilder(url);
    }

    /** What this host calls it. */
    public String name() {
        return name;
    }

    /** The tools that it had when it was started, for a {@code ToolExecutor}. */
    public List<BoundTool> tools() {
        return tools;
    }

    /** Ends the session; what waits for a reply is {@code connection_lost}. Idempotent. */
    @Override
    public void close() {
        session.close();
    }

    // Calls ---------------------------------------------------------------------------------------

    /** Carries a call to the server; {@link McpTool} does that with arguments that it has judged. */
    Outcome call(Request request, ToolContext context, OutputSchema output) throws InterruptedException {
        try {
            Ended ended = session.call(request, context);
            if (ended instanceof Ended.Replied replied) {
                return Replies.read(replied.reply(), output);
            }
            if (ended instanceof Ended.Lost lost) {
                return lost.settled();
            }
            throw new IllegalStateException("a call has no other end, got " + ended);
        } catch (Unreachable unreachable) {
            return notReached(unreachable);
        }
    }

    /**
     * A tool as the server describes it now, null where it is not there any more.
     *
     * @throws Unreachable nobody knows
     */
    McpTool current(String tool) throws Unreachable, InterruptedException {
        if (unknown || session.isStale()) {
            session.refresh();
        }
        return current.get(tool);
    }

    /** How a call ends that could not be sent (clause 14.13). */
    Settled notReached(Unreachable unreachable) {
        return Replies.settled(ErrorKind.CONNECTION_LOST, says(unreachable), Effect.NONE, null);
    }

    private String says(Unreachable unreachable) {
        return "the MCP server " + quoted + " cannot be reached: " + unreachable.getMessage();
    }

    // What it offers ------------------------------------------------------------------------------

    /** Reads what the server offers; by one thread at a time. */
    private void read(Listing.Ask ask) throws Unreachable, InterruptedException {
        Map<String, Map<?, ?>> told = Listing.tools(ask, log);
        Map<String, McpTool> known = current;
        Map<String, McpTool> now = new LinkedHashMap<>();
        for (String each : settings.allowed == null ? List.copyOf(told.keySet()) : settings.allowed) {
            Map<?, ?> one = told.get(each);
            if (one == null) {
                log.warn("it has no tool named " + Portable.quoted(each) + "; left out");
            } else {
                McpTool before = known.get(each);
                now.put(each, before != null && before.isTold(one) ? before : new McpTool(this, name, each, one, settings.timeout));
            }
        }
        current = now;
        unknown = false;
    }

    private Map<String, McpTool> placeholders() {
        Map<String, McpTool> made = new LinkedHashMap<>();
        settings.allowed.forEach(each -> made.put(each, new McpTool(this, name, each, Map.of(), settings.timeout)));
        return made;
    }
}
