// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import java.util.Map;

/**
 * What is asked of a server.
 *
 * @param params plain values
 * @param headers what of them is told in headers as well, where the connection has any and the revision wants it
 */
record Request(String method, Map<String, ?> params, Map<String, String> headers) {

    static Request of(String method, Map<String, ?> params) {
        return new Request(method, params, Map.of());
    }
}
