// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.time.Duration;
import java.util.Optional;

/**
 * The call as its body sees it (clause 8.13): given to every parameter of this type.
 *
 * <p>A context may be used from any thread, also after its call has ended: then {@link #cancelled}
 * stays as it was and progress goes nowhere.
 */
public interface ToolContext {

    /** The call's id as the model gave it, or null: none is invented (clause 8.1). */
    String callId();

    /** The name of the tool. */
    String tool();

    /** Which attempt this is, from 1. */
    int attempt();

    /** The time left before the deadline, at least zero; empty where there is no deadline. */
    Optional<Duration> remaining();

    /**
     * Whether nobody waits for this call any more: its caller cancelled it or its deadline passed.
     * A long body looks now and then, and ends early.
     */
    boolean cancelled();

    /**
     * Reports how far the body is, in units of its own choice.
     *
     * @param total the whole, or null where it is unknown
     * @param message what is being done, or null
     */
    void progress(double progress, Double total, String message);

    /** Reports how far the body is; the whole is unknown. */
    default void progress(double progress) {
        progress(progress, null, null);
    }

    /**
     * A logger named {@code dev.isonomy.tool.NAME}: the platform's own, so that it is the same wherever the tool runs. A
     * host that logs with SLF4J has it routed there by {@code slf4j-jdk-platform-logging}.
     */
    System.Logger logger();
}
