// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.contract.Misuse;

/**
 * What the runtime allows a result; handed on to callees that encode it (clause 5.29).
 *
 * @param maxResultBytes the most bytes that the encoding of a result may take, at least 1
 * @param strictValues whether a value without a portable form fails the call
 */
public record Limits(long maxResultBytes, boolean strictValues) {

    /** 16 MiB, not strict. */
    public static final Limits DEFAULT = new Limits(16L * 1024 * 1024, false);

    public Limits {
        if (maxResultBytes < 1) {
            throw new Misuse("maxResultBytes is at least 1, got " + maxResultBytes);
        }
    }
}
