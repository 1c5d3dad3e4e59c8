// SPDX-License-Identifier: Apache-2.0
/**
 * The Java worker process: Java tools in a process of their own, for a host in any language (spec/wire.md).
 *
 * <p>A host starts it with
 *
 * <pre>{@code
 * java -XX:+UseSerialGC -XX:+ExitOnOutOfMemoryError -Xshare:auto OPTIONS -cp isonomy.jar:TOOLS dev.isonomy.worker.Main SOCKET
 * }</pre>
 *
 * <p>and with its own standard error as the worker's standard output, which Java cannot move by itself. This is the one
 * place that names these options:
 *
 * <ul>
 *   <li>{@code -XX:+UseSerialGC}: the least to start and to keep; a worker of tools that need another collector names it
 *       in OPTIONS, where the last one counts.
 *   <li>{@code -XX:+ExitOnOutOfMemoryError}: a machine whose heap ran out may have lost anything, its own threads
 *       included; it ends with exit code 3 and is replaced. Its calls are {@code connection_lost}. A
 *       {@code StackOverflowError} concerns its own thread alone and is the failure of its call.
 *   <li>Not {@code -XX:TieredStopAtLevel=1}: it starts sooner, and each call then costs half as much again.
 * </ul>
 *
 * <p>Exit codes: 0 the connection ended, 1 the tools could not be loaded, 2 started wrongly, 3 the heap ran out, 70 a
 * broken wire. What tools log with {@code System.Logger} or {@code java.util.logging} goes to the host, unless the
 * worker is started with a {@code java.util.logging.config.file} of its own.
 */
package dev.isonomy.worker;
