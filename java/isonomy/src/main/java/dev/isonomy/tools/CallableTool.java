// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.time.Duration;
import java.util.Map;

/**
 * A tool written as a class, with a schema of its own.
 *
 * <p>One instance serves all calls, from several threads at once.
 */
public interface CallableTool {

    /** The name that calls use, not blank. */
    String name();

    /** What the tool does, for the model. */
    default String description() {
        return "";
    }

    /** JSON Schema (2020-12) of the arguments: plain JSON as maps, lists, texts, numbers. */
    Map<String, ?> inputSchema();

    /** The author's version, or null. */
    default String version() {
        return null;
    }

    /** The parameters that the host fills in, by the name under which the body finds them (clause 7.13). */
    default Map<String, InjectedParameter> injected() {
        return Map.of();
    }

    /** How many calls may run at once (clause 8.7); 0: no limit of its own. */
    default int maxParallel() {
        return 0;
    }

    /** How long one call may take (clause 8.8), or null. */
    default Duration deadline() {
        return null;
    }

    /**
     * Runs the tool.
     *
     * @param arguments the valid arguments, the body's own to change: {@code Map}, {@code List}, {@code String},
     *     {@code Long}, {@code BigInteger}, {@code Double}, {@code Boolean}, null; injected values stand under their
     *     parameters' names
     * @return a {@code ToolResponse}, any other value (a success with it), or a {@code
     *     CompletionStage} of either (clauses 3.1 to 3.5)
     * @throws Exception a failure of kind {@code exception}; {@code ToolFailed}: the failure in it
     */
    Object call(Map<String, Object> arguments, ToolContext context) throws Exception;
}
