// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import dev.isonomy.contract.IsonomyException;

/** A server cannot be reached, and so nobody knows its tools. */
public final class McpUnavailable extends IsonomyException {

    private static final long serialVersionUID = 1L;

    McpUnavailable(String message) {
        super(message);
    }
}
