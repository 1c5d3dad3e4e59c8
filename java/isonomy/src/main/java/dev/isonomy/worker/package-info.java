// SPDX-License-Identifier: Apache-2.0
/**
 * The Java worker process: Java tools in a process of their own, for a host in any language (spec/wire.md).
 *
 * <p>A host starts it with
 *
 * <pre>{@code
 * java -XX:TieredStopAtLevel=1 ... -cp isonomy.jar:TOOLS dev.isonomy.worker.Main SOCKET
 * }</pre>
 */
package dev.isonomy.worker;
