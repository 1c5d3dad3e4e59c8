// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

/** Thrown where a pattern is none, or not one that every language reads the same way; the message is a phrase. */
final class PatternFault extends Exception {

    private static final long serialVersionUID = 1L;

    PatternFault(String message) {
        super(message, null, false, false);
    }
}
