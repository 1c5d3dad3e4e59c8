// SPDX-License-Identifier: Apache-2.0
package com.acme;

import dev.isonomy.contract.ToolResponse;
import dev.isonomy.tools.CallableTool;
import dev.isonomy.tools.ToolContext;
import java.util.List;
import java.util.Map;

/** A tool written as a class, with a schema of its own. */
public final class Lookup implements CallableTool {
    @Override
    public String name() {
        return "lookup";
    }

    @Override
    public String description() {
        return "Look a word up.";
    }

    @Override
    public Map<String, ?> inputSchema() {
        return Map.of(
                "type", "object",
                "properties", Map.of("word", Map.of("type", "string")),
                "required", List.of("word"));
    }

    @Override
    public Object call(Map<String, Object> arguments, ToolContext context) {
        return ToolResponse.success(arguments, List.of(), Map.of("call_id", String.valueOf(context.callId())));
    }
}
