// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/**
 * The body raised or threw.
 *
 * @param error what the exception said, never null
 */
public record Raised(ErrorInfo error) implements Outcome {
    /** Refuses a missing error. */
    public Raised {
        Misuse.required(error, "the error of a raised outcome");
    }
}
