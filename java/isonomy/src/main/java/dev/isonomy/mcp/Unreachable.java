// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

/** No connection can be opened; the server has done nothing (clause 14.13). */
final class Unreachable extends Exception {

    private static final long serialVersionUID = 1L;

    Unreachable(String reason) {
        super(reason, null, false, false);
    }
}
