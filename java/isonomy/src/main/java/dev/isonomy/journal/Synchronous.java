// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.journal;

/** What a commit to a file survives (clause J4.3). */
public enum Synchronous {
    /** The loss of power. */
    FULL,
    /** The death of every process; a commit costs a small part of what it costs with {@link #FULL}. */
    NORMAL
}
