// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.contract.Limits;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * One call on its way into one tool: what the tool needs to know, and what it leaves behind. Made
 * by the runtime for each attempt, used once, by one thread at a time.
 */
public final class Invocation {

    private final Object arguments;
    private final Map<String, ?> injected;
    private final ToolContext context;
    private final Predicate<Throwable> passing;
    private final Limits limits;
    private List<String> decoded = List.of();

    /**
     * @param arguments the arguments as they came (clause 7.1): a map, JSON text, or null
     * @param injected the host's values by their host names (clause 7.13)
     * @param passing the exceptions that are no outcome (clauses 8.9 and 8.10); they leave the tool
     *     as the cause of a {@link NoOutcome}
     */
    public Invocation(
            Object arguments,
            Map<String, ?> injected,
            ToolContext context,
            Predicate<Throwable> passing) {
        this(arguments, injected, context, passing, Limits.DEFAULT);
    }

    /** @param limits what the result must keep to; checked by the runtime too, for a tool that looks at none */
    public Invocation(
            Object arguments,
            Map<String, ?> injected,
            ToolContext context,
            Predicate<Throwable> passing,
            Limits limits) {
        this.limits = Objects.requireNonNull(limits, "limits");
        this.arguments = arguments;
        this.injected = Objects.requireNonNull(injected, "injected");
        this.context = Objects.requireNonNull(context, "context");
        this.passing = Objects.requireNonNull(passing, "passing");
    }

    /** The arguments as they came; the tool changes none of them. */
    public Object arguments() {
        return arguments;
    }

    /** The host's values by their host names. */
    public Map<String, ?> injected() {
        return injected;
    }

    /** The call's context. */
    public ToolContext context() {
        return context;
    }

    /** The exceptions that are no outcome. */
    public Predicate<Throwable> passing() {
        return passing;
    }

    /** What the result must keep to (clauses 5.26 and 5.29). */
    public Limits limits() {
        return limits;
    }

    /** Paths of the parameters that the tool decoded from JSON text (clause 7.6); else empty. */
    public List<String> decoded() {
        return decoded;
    }

    /** Notes the paths of the parameters that were decoded; for tools. */
    public void decoded(List<String> paths) {
        decoded = List.copyOf(paths);
    }
}
