// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.Arrays;

/** A canonical encoding as the key of a hash map. */
record CanonicalKey(byte[] encoding) {
    static CanonicalKey of(Object value) {
        return new CanonicalKey(Canonical.encode(value));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CanonicalKey key && Arrays.equals(encoding, key.encoding);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(encoding);
    }
}
