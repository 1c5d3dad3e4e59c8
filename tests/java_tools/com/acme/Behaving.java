// SPDX-License-Identifier: Apache-2.0
package com.acme;

import dev.isonomy.bridge.BridgeEndpoint;
import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.ToolCall;
import dev.isonomy.contract.ToolRequest;
import dev.isonomy.contract.Wire;
import dev.isonomy.runtime.BatchOptions;
import dev.isonomy.runtime.ToolExecutor;
import dev.isonomy.tools.BoundTool;
import dev.isonomy.tools.InjectedParameter;
import dev.isonomy.tools.Tool;
import dev.isonomy.tools.ToolBuilder;
import dev.isonomy.tools.ToolRegistry;
import dev.isonomy.vectors.Behaviours;
import dev.isonomy.vectors.Fields;
import dev.isonomy.vectors.Fixtures;
import dev.isonomy.vectors.Vectors;
import java.util.List;
import java.util.Map;

/** What the vectors ask of tools. */
public final class Behaving {
    private Behaving() {}

    /** Behaves as the `tool` of a vector of the area `mapping`, given as JSON text, says. */
    @Tool
    public static Object behave(String tool) throws Throwable {
        return Behaviours.run(Fields.of("tool", Vectors.json(tool)));
    }

    /** What stands for `fixture:` names in Java. */
    @Tool
    public static String resolved(String text) {
        return Fixtures.resolved(text);
    }

    /** The response event of a call of a tool that gives back what it receives; null where it can be no tool. */
    @SuppressWarnings("unchecked") // the keys of JSON objects are strings
    public static byte[] judged(String schema, String arguments) throws InterruptedException {
        BoundTool tool;
        try {
            tool = BoundTool.named("judge")
                    .schema((Map<String, Object>) Vectors.json(schema))
                    .body((accepted, context) -> accepted);
        } catch (Misuse misuse) {
            return null;
        }
        ToolRequest request = new ToolRequest(null, List.of(new ToolCall(null, "judge", arguments)));
        try (ToolExecutor executor = ToolExecutor.of(tool)) {
            return Wire.encode(executor.run(request, BatchOptions.DEFAULT));
        }
    }

    /** An endpoint with one tool that gives back what it receives. */
    @SuppressWarnings("unchecked") // the keys of JSON objects are strings
    public static BridgeEndpoint receiving(String schema, String[] injected, String[] hostNames) {
        ToolBuilder builder = BoundTool.named("receive").schema((Map<String, Object>) Vectors.json(schema));
        for (int i = 0; i < injected.length; i++) {
            builder.inject(injected[i], new InjectedParameter(hostNames[i], false));
        }
        return BridgeEndpoint.of(ToolRegistry.of(builder.body((arguments, context) -> arguments)));
    }
}
