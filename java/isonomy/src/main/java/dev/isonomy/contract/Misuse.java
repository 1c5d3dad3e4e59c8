// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/** Raised when a program uses the library against its rules; the message names the place and the remedy. */
public final class Misuse extends IsonomyException {
    private static final long serialVersionUID = 1L;

    /** A misuse described in one sentence. */
    public Misuse(String message) {
        super(message);
    }

    static <T> T required(T value, String what) {
        if (value == null) {
            throw new Misuse(what + " is null; give a value");
        }
        return value;
    }

    static String requiredText(String value, String what) {
        if (ErrorText.isBlank(required(value, what))) {
            throw new Misuse(what + " is blank; give a text");
        }
        return value;
    }
}
