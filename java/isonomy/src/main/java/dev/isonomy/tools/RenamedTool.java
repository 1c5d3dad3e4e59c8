// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.contract.Outcome;

/** A tool under another name, as this host calls it (clause 14.17). */
final class RenamedTool implements BoundTool {

    private final BoundTool tool;
    private final ToolSpec spec;

    RenamedTool(BoundTool tool, String name) {
        this.tool = tool;
        ToolSpec own = tool.spec();
        this.spec = new ToolSpec(
                name,
                own.description(),
                own.inputSchema(),
                own.injected(),
                own.version(),
                own.maxParallel(),
                own.deadline(),
                own.language(),
                own.server());
    }

    @Override
    public ToolSpec spec() {
        return spec;
    }

    @Override
    public boolean wantsContext() {
        return tool.wantsContext();
    }

    @Override
    public Outcome invoke(Invocation invocation) {
        return tool.invoke(invocation);
    }
}
