// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import dev.isonomy.contract.Effect;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Language;
import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.Outcome;
import dev.isonomy.contract.Portable;
import dev.isonomy.contract.Settled;
import dev.isonomy.tools.BoundTool;
import dev.isonomy.tools.Boundary;
import dev.isonomy.tools.Invocation;
import dev.isonomy.tools.JudgedArguments;
import dev.isonomy.tools.OutputSchema;
import dev.isonomy.tools.SentArguments;
import dev.isonomy.tools.ToolSpec;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A tool of an MCP server. Its arguments are judged here (clause 14.8). One that the server does not list any more is
 * {@code not_found}; one that it describes in another way now is called as it is now (clause 14.16).
 */
final class McpTool implements BoundTool {

    private final McpServer server;
    private final Map<?, ?> told;
    private final ToolSpec spec;
    private final JudgedArguments arguments;
    private final OutputSchema output;
    private final MarkedArguments marked;
    /** How every call ends where the schema cannot be used, else null. */
    private final Settled unusable;

    /**
     * @param server carries its calls
     * @param serverName what this host calls the server
     * @param told what the server tells of it, plain values
     */
    McpTool(McpServer server, String serverName, String name, Map<?, ?> told, Duration deadline) {
        this.server = server;
        this.told = told;
        JudgedArguments read;
        Settled fault = null;
        try {
            read = new JudgedArguments(told.get("inputSchema"));
        } catch (Misuse misuse) {
            read = new JudgedArguments(null);
            fault = Replies.settled(
                    ErrorKind.PROTOCOL,
                    "the tool's input schema cannot be used: " + misuse.getMessage(),
                    Effect.NONE,
                    null);
        }
        this.arguments = read;
        this.unusable = fault;
        this.output = told.get("outputSchema") == null ? null : new OutputSchema(told.get("outputSchema"));
        this.marked = new MarkedArguments(read.schema());
        String description = told.get("description") instanceof String said ? said : "";
        this.spec = new ToolSpec(
                name, description, read.schema(), Map.of(), null, 0, deadline, Language.MCP, serverName);
    }

    /** Whether the server told this of it. */
    boolean isTold(Map<?, ?> now) {
        return told.equals(now);
    }

    @Override
    public ToolSpec spec() {
        return spec;
    }

    @Override
    public Outcome invoke(Invocation invocation) {
        try {
            McpTool now = server.current(spec.name());
            if (now == null) {
                return Replies.settled(
                        ErrorKind.NOT_FOUND,
                        "no tool named " + Portable.quoted(invocation.context().tool()),
                        Effect.NONE,
                        null);
            }
            return now.unusable != null ? now.unusable : now.carry(invocation);
        } catch (Unreachable unreachable) {
            return server.notReached(unreachable);
        } catch (SentArguments.Refused refused) {
            return refused.outcome();
        } catch (InterruptedException cancelled) {
            // The context is to see the interruption as well: it is the caller's, where the caller runs the body.
            Thread.currentThread().interrupt();
            invocation.context().cancelled();
            Thread.interrupted();
            return Boundary.caught(cancelled, invocation.passing());
        }
    }

    private Outcome carry(Invocation invocation) throws SentArguments.Refused, InterruptedException {
        Map<String, Object> given = arguments.read(invocation);
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("name", spec.name());
        params.put("arguments", given);
        Request request = new Request("tools/call", params, marked.headers(given));
        return server.call(request, invocation.context(), output);
    }
}
