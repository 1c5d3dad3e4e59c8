// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.contract.Outcome;

/**
 * A tool as the runtime sees it, whatever it is written in. Immutable once made; serves calls from
 * several threads at once.
 */
public interface BoundTool {

    /** What is known of the tool without running it. */
    ToolSpec spec();

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
