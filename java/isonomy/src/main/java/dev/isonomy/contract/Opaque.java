// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/**
 * The marker of a value that has no portable form (clauses 5.20 and 5.26). It is never the printed form of that value.
 *
 * @param type the name of the value's type in its own language
 * @param path where it stood (clause 5.27)
 */
public record Opaque(String type, String path) {
    /** Refuses missing texts. */
    public Opaque {
        Misuse.required(type, "the type of an opaque value");
        Misuse.required(path, "the path of an opaque value");
    }
}
