// SPDX-License-Identifier: Apache-2.0
package com.acme;

import dev.isonomy.contract.ToolResponse;
import dev.isonomy.tools.Tool;
import dev.isonomy.tools.ToolParam;
import java.util.List;
import java.util.Map;

/** Tools in Java that are served. */
public final class ServedTools {

    private ServedTools() {}

    @Tool(description = "Join the parts of a text.")
    public static Map<String, Object> javaJoin(@ToolParam(description = "What is joined.") List<String> parts, String between) {
        return Map.of("text", String.join(between, parts));
    }

    @Tool
    public static ToolResponse javaRefuse(String reason) {
        return ToolResponse.failure(reason).code("REFUSED").retryable(false).build();
    }

    @Tool
    public static String javaBreak(String text) {
        throw new IllegalStateException("a secret of " + text);
    }
}
