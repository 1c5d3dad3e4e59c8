// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.util.Map;

/** Where the value of one parameter of a method comes from: the model, the host, or the call itself. */
interface ParameterSource {

    /**
     * The value.
     *
     * @param arguments the valid arguments
     */
    Object value(Map<String, Object> arguments, Invocation invocation) throws Unreadable, HostValue.Missing;
}
