// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/**
 * A runtime decided without, or in place of, the body's end.
 *
 * @param error what it decided, never null
 */
public record Settled(ToolError error) implements Outcome {
    /** Refuses a missing error. */
    public Settled {
        Misuse.required(error, "the error of a settled outcome");
    }

    /** A decision of this runtime. */
    public static Settled of(ErrorKind kind, String message, Effect effect) {
        return new Settled(ToolError.builder(kind, message).effect(effect).build());
    }
}
