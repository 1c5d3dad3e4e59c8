// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

/** No connection can be opened; the server has done nothing (clause 14.13). */
final class Unreachable extends Exception {

    private static final long serialVersionUID = 1L;

    /** Whether the server does not know the session, so that a new one may help (clause 14.12). */
    final boolean isSessionOver;

    Unreachable(String reason) {
        this(reason, false);
    }

    private Unreachable(String reason, boolean isSessionOver) {
        super(reason, null, false, false);
        this.isSessionOver = isSessionOver;
    }

    /** The server does not know a session that there is. */
    static Unreachable sessionOver() {
        return new Unreachable("it knows no session that it has just begun", true);
    }
}
