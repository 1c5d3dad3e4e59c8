// SPDX-License-Identifier: Apache-2.0
/** The executor: one call, a batch, deadlines, retries and durable batches. */
package dev.isonomy.runtime;
