// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.isonomy.contract.Outcome;
import dev.isonomy.contract.Returned;
import dev.isonomy.contract.Settled;
import dev.isonomy.contract.ToolError;
import java.util.Map;

/** Invokes tools without a runtime. */
final class Invoking {
    private Invoking() {}

    static Outcome outcome(BoundTool tool, Object arguments, Map<String, ?> host) {
        return tool.invoke(new Invocation(arguments, host, new NoContext(), Boundary.NOTHING_PASSES));
    }

    /** What the tool returns. */
    static Object value(BoundTool tool, Object arguments) {
        return assertInstanceOf(Returned.class, outcome(tool, arguments, Map.of())).value();
    }

    /** Why the call is settled before the body runs. */
    static ToolError refused(BoundTool tool, Object arguments) {
        return assertInstanceOf(Settled.class, outcome(tool, arguments, Map.of())).error();
    }

    /** The one method of a class that is marked, by its name. */
    static BoundTool tool(Object source, String name) {
        return ToolRegistry.of(source).get(name);
    }
}
