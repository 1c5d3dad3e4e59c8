// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

/** Thrown where a text is too long for its pattern (clause 7.15); the message names the pattern. */
final class TooMuchWork extends RuntimeException {

    private static final long serialVersionUID = 1L;

    TooMuchWork(String message) {
        super(message, null, false, false);
    }
}
