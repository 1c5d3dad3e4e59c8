// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.List;

/**
 * An envelope: one outcome as it crosses a bridge, with what the tool's side noticed on the way (clause 10.3).
 *
 * @param outcome how the call ended
 * @param decoded the paths of arguments that were given as JSON text (clause 7.6)
 * @param progress what the tool told of its progress, in order
 */
public record BridgeReply(Outcome outcome, List<String> decoded, List<Progress> progress) {
    /** Refuses a missing outcome. */
    public BridgeReply {
        Misuse.required(outcome, "the outcome of a reply");
        decoded = Copies.list(decoded, "the decoded paths of a reply");
        progress = Copies.list(progress, "the progress of a reply");
    }

    /** A reply with nothing but its outcome. */
    public BridgeReply(Outcome outcome) {
        this(outcome, List.of(), List.of());
    }
}
