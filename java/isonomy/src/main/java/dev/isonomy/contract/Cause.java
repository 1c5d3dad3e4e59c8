// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/**
 * One link of an error's chain of causes, or one member of an exception group (clauses 3.9 and 4.9).
 *
 * @param type the exception class in its own language, never empty
 * @param message its message, never blank: it falls back to the type
 * @param language where it was made, see {@link Language}
 */
public record Cause(String type, String message, String language) {
    /** Checks the type and the language, and cleans the message. */
    public Cause {
        Misuse.requiredText(type, "the type of a cause");
        Misuse.requiredText(language, "the language of a cause");
        type = ErrorText.wellFormed(type);
        message = ErrorText.clean(message, type);
    }
}
