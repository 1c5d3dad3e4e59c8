// SPDX-License-Identifier: Apache-2.0
/**
 * Python tools for a Java host: {@link dev.isonomy.python.PythonTools}. Their bodies run in worker processes; how these
 * are talked to is spec/wire.md.
 */
package dev.isonomy.python;
