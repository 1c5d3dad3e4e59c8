// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/**
 * What a result must keep to (clauses 5.26 and 5.29).
 *
 * @param maxResultBytes how many bytes the encoding of a result may take, from 1
 * @param strictValues whether a value without a portable form fails the call
 */
public record Limits(long maxResultBytes, boolean strictValues) {
    /** 16 MiB, not strict. */
    public static final Limits DEFAULT = new Limits(16L * 1024 * 1024, false);

    /** No limit of size, not strict: for values that do not come from tools. */
    public static final Limits NONE = new Limits(Long.MAX_VALUE, false);

    /** Refuses a limit below 1. */
    public Limits {
        if (maxResultBytes < 1) {
            throw new Misuse("maxResultBytes is " + maxResultBytes + "; give a number from 1");
        }
    }
}
