// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Makes a tool of a lambda. Not for use by several threads.
 *
 * <pre>{@code
 * BoundTool echo = BoundTool.named("echo")
 *         .schema(Map.of("type", "object", "properties", Map.of("text", Map.of("type", "string"))))
 *         .body((arguments, context) -> arguments.get("text"));
 * }</pre>
 */
public final class ToolBuilder {

    /** The body of a tool, as {@link CallableTool#call}. */
    @FunctionalInterface
    public interface Body {
        /** Runs the tool. */
        Object call(Map<String, Object> arguments, ToolContext context) throws Exception;
    }

    private final String name;
    private String description = "";
    private Map<String, ?> schema = Map.of("type", "object");
    private final Map<String, InjectedParameter> injected = new LinkedHashMap<>();
    private String version;
    private int maxParallel;
    private Duration deadline;

    ToolBuilder(String name) {
        this.name = name;
    }

    /** What the tool does, for the model. */
    public ToolBuilder description(String description) {
        this.description = description;
        return this;
    }

    /** JSON Schema (2020-12) of the arguments; it decides alone (clause 7.3). Default: any object. */
    public ToolBuilder schema(Map<String, ?> schema) {
        this.schema = schema;
        return this;
    }

    /** A parameter that the host fills in, under the same name. */
    public ToolBuilder inject(String parameter) {
        return inject(parameter, new InjectedParameter(parameter, false));
    }

    /** A parameter that the host fills in. */
    public ToolBuilder inject(String parameter, InjectedParameter from) {
        injected.put(parameter, from);
        return this;
    }

    /** The author's version. */
    public ToolBuilder version(String version) {
        this.version = version;
        return this;
    }

    /** How many calls may run at once (clause 8.7), from 1. */
    public ToolBuilder maxParallel(int maxParallel) {
        this.maxParallel = maxParallel;
        return this;
    }

    /** How long one call may take (clause 8.8). */
    public ToolBuilder deadline(Duration deadline) {
        this.deadline = deadline;
        return this;
    }

    /**
     * The tool with this body.
     *
     * @throws dev.isonomy.contract.Misuse the schema is none, or a field is out of range
     */
    public BoundTool body(Body body) {
        Map<String, Object> plain = GivenTool.plain(name, schema);
        return new GivenTool(
                new ToolSpec(name, description, plain, injected, version, maxParallel, deadline, "java", null), body);
    }
}
