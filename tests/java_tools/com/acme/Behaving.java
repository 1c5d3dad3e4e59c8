// SPDX-License-Identifier: Apache-2.0
package com.acme;

import dev.isonomy.bridge.BridgeEndpoint;
import dev.isonomy.tools.BoundTool;
import dev.isonomy.tools.InjectedParameter;
import dev.isonomy.tools.Tool;
import dev.isonomy.tools.ToolBuilder;
import dev.isonomy.tools.ToolRegistry;
import dev.isonomy.vectors.Behaviours;
import dev.isonomy.vectors.Fields;
import dev.isonomy.vectors.Fixtures;
import dev.isonomy.vectors.Vectors;
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
