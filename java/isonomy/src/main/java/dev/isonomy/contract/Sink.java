// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/**
 * Consumes events (clause 9.5). An executor calls it from the threads that run tools, one event of a call after the
 * other; a sink that throws changes no response: its failure is counted and logged.
 */
@FunctionalInterface
public interface Sink {
    /** Takes one event; it should return soon. */
    void emit(Event event);
}
