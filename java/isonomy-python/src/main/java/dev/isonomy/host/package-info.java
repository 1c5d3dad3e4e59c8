// SPDX-License-Identifier: Apache-2.0
/** A Java host as a process: {@link dev.isonomy.host.Main} runs the batches that another process sends it. */
package dev.isonomy.host;
