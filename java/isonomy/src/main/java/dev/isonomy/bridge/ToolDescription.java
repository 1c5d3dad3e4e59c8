// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.bridge;

import dev.isonomy.tools.BoundTool;
import dev.isonomy.tools.ToolSpec;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a host is told of a tool: {@code name}, {@code description}, {@code input_schema}, {@code injected} (by parameter
 * name: the host's {@code name} of the value, whether it is part of the {@code identity} and whether it is {@code secret}), {@code version}, {@code
 * max_parallel} and {@code deadline_ms} (each null where there is none), and {@code wants_context}: whether the call's id,
 * attempt and remaining time are of use.
 */
final class ToolDescription {

    private ToolDescription() {}

    static Map<String, Object> of(BoundTool tool) {
        ToolSpec spec = tool.spec();
        Map<String, Object> injected = new LinkedHashMap<>();
        spec.injected().forEach((parameter, from) ->
                injected.put(parameter, Map.of("name", from.name(), "identity", from.identity(), "secret", from.secret())));
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("name", spec.name());
        description.put("description", spec.description());
        description.put("input_schema", spec.inputSchema());
        description.put("injected", injected);
        description.put("version", spec.version());
        description.put("max_parallel", spec.maxParallel() == 0 ? null : spec.maxParallel());
        description.put("deadline_ms", spec.deadline() == null ? null : spec.deadline().toMillis());
        description.put("wants_context", tool.wantsContext());
        return description;
    }
}
