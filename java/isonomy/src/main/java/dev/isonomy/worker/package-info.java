// SPDX-License-Identifier: Apache-2.0
/**
 * The Java worker process: Java tools in a process of their own, for a host in any language (spec/wire.md).
 *
 * <p>A host starts it with
 *
 * <pre>{@code
 * java -XX:+UseSerialGC -XX:+ErrorFileToStderr OPTIONS -cp isonomy.jar:TOOLS dev.isonomy.worker.Main SOCKET
 * }</pre>
 *
 * <p>and with its own standard error as the worker's standard output, which Java cannot move by itself. This is the one
 * place that names these options:
 *
 * <ul>
 *   <li>{@code -XX:+UseSerialGC}: the least to start and to keep; a worker of tools that need another collector names
 *       it in OPTIONS, and this one is left out then: two of them are refused.
 *   <li>{@code -XX:+ErrorFileToStderr}: what a machine that crashes has to say goes where its tools print.
 *   <li>Not {@code -XX:+ExitOnOutOfMemoryError}: an allocation that fails, as a stack that overflows, is the failure of
 *       its call, as it is in the host's own process. Where the worker itself finds no memory any more, it ends with exit
 *       code 70 and is replaced.
 *   <li>Not {@code -XX:TieredStopAtLevel=1}: it starts sooner, and each call then costs half as much again.
 * </ul>
 *
 * <p>Exit codes: 0 the connection ended, 1 the tools could not be loaded, 2 started wrongly, 70 a broken
 * wire, or a worker that could not go on. What tools log with {@code System.Logger} or {@code java.util.logging} goes to the host, unless the
 * worker is started with a {@code java.util.logging.config.file} of its own.
 */
package dev.isonomy.worker;
