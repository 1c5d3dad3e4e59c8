// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

/** Thrown where something is no schema of its own (clause 7.3); the message is a phrase with the place. */
final class SchemaFault extends RuntimeException {

    private static final long serialVersionUID = 1L;

    SchemaFault(String message) {
        super(message, null, false, false);
    }
}
