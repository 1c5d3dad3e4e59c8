// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.contract.Outcome;
import java.lang.reflect.Method;

/**
 * A tool as the runtime sees it, whatever it is written in. Immutable once made; serves calls from
 * several threads at once.
 */
public interface BoundTool {

    /** A tool written as a class. */
    static BoundTool of(CallableTool tool) {
        ToolSpec spec = new ToolSpec(
                tool.name(),
                tool.description(),
                GivenTool.plain(tool.name(), tool.inputSchema()),
                tool.injected(),
                tool.version(),
                tool.maxParallel(),
                tool.deadline(),
                "java",
                null);
        return new GivenTool(spec, tool::call);
    }

    /**
     * A method as a tool, whether it is marked {@link Tool} or not.
     *
     * @param instance what it is called on, null for a static method
     */
    static BoundTool of(Method method, Object instance) {
        return MethodTool.of(method, instance);
    }

    /** A tool made of a lambda, with a schema of its own. */
    static ToolBuilder named(String name) {
        return new ToolBuilder(name);
    }

    /** What is known of the tool without running it. */
    ToolSpec spec();

    /** Whether the body asks for its {@link ToolContext}; a host that need not make one saves it. */
    default boolean wantsContext() {
        return true;
    }

    /**
     * Parses and validates the arguments, runs the body, and returns how that ended (clause 1.1).
     *
     * <p>The value of a {@code Returned} may be a {@code CompletionStage}: the call has then not
     * ended yet, and whoever invoked the tool awaits that stage once (clause 3.5).
     *
     * @throws NoOutcome the body threw what {@link Invocation#passing} lets pass; nothing else is
     *     ever thrown
     */
    Outcome invoke(Invocation invocation);
}
