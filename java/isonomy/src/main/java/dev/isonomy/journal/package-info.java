// SPDX-License-Identifier: Apache-2.0
/** Where durable batches are kept (clause 13): in memory, or in a file of SQLite. */
package dev.isonomy.journal;
