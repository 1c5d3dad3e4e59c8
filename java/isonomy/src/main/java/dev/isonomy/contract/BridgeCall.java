// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.Map;

/**
 * A call as it crosses a bridge (clause 10.2).
 *
 * @param tool the name of the tool
 * @param arguments the arguments; anything but a map with string keys fails their validation
 * @param injected what the host injects, by name
 * @param callId the caller's id, or null
 * @param attempt which attempt this is, from 1
 * @param remainingMs how many milliseconds are left, or null where there is no deadline
 * @param limits what the result must keep to
 */
public record BridgeCall(
        String tool,
        Object arguments,
        Map<String, Object> injected,
        String callId,
        int attempt,
        Long remainingMs,
        Limits limits) {
    /** Refuses what no host sends. */
    public BridgeCall {
        Misuse.required(tool, "the tool of a call");
        injected = Copies.map(injected, "the injected values");
        Misuse.required(limits, "the limits of a call");
        if (attempt < 1) {
            throw new Misuse("the attempt of a call is " + attempt + "; give a number from 1");
        }
        if (remainingMs != null && remainingMs < 0) {
            throw new Misuse("remainingMs of a call is " + remainingMs + "; give a number from 0, or null");
        }
    }
}
