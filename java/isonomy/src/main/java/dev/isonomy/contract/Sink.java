// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/**
 * Consumes events (clause 9.5). Whatever it does changes no response: one that throws, or does not keep up, loses
 * events, which are counted and logged.
 *
 * <p>An executor calls a sink from a thread of its own behind a bounded queue, one event after the other, so that it
 * may block. One that says {@link #direct} is called where the event is made, from several threads.
 */
@FunctionalInterface
public interface Sink {
    /** Takes one event. */
    void emit(Event event);

    /** Whether the sink promises never to block, and so needs no queue before it. */
    default boolean direct() {
        return false;
    }
}
