// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/** Bytes that may be given a bound; beyond it they refuse to grow (clause 5.29). */
final class BoundedBytes extends ByteBuilder {
    private long end = Long.MAX_VALUE;
    private long max;

    BoundedBytes() {
        super(512);
    }

    /** From here on at most {@code max} bytes may follow. */
    void beginBound(long max) {
        this.max = max;
        this.end = max > Integer.MAX_VALUE ? Long.MAX_VALUE : length + max;
    }

    void endBound() {
        end = Long.MAX_VALUE;
    }

    @Override
    void grow(int more) {
        expect(0);
        super.grow(more);
    }

    /** Refuses where so many more bytes are surely too many. */
    void expect(int more) {
        if ((long) length + more > end) {
            throw new PortableException(
                    PortableException.Reason.TOO_LARGE, null, "the result takes more than " + max + " bytes");
        }
    }
}
