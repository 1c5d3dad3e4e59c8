// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/** Bytes that may be given a bound; beyond it they refuse to grow (clause 5.29). */
final class BoundedBytes extends ByteBuilder {
    private long end = Long.MAX_VALUE;
    private long max;
    private int paused;
    private long pausedEnd;

    BoundedBytes() {
        super(512);
    }

    /** From here on at most {@code max} bytes may follow. */
    void beginBound(long max) {
        this.max = max;
        this.end = max > Integer.MAX_VALUE ? Long.MAX_VALUE : length + max;
    }

    long bound() {
        return end == Long.MAX_VALUE ? MAX : max;
    }

    void endBound() {
        end = Long.MAX_VALUE;
    }

    /** What follows does not count until {@link #resume}. */
    void pause() {
        expect(0);
        paused = length;
        pausedEnd = end;
        end = Long.MAX_VALUE;
    }

    void resume() {
        end = pausedEnd == Long.MAX_VALUE ? pausedEnd : pausedEnd + length - paused;
    }

    /** Allows twice as much until {@link #narrow}: elements that come twice are written, and then taken out. */
    void widen() {
        end = end == Long.MAX_VALUE ? end : end + max;
    }

    void narrow() {
        end = end == Long.MAX_VALUE ? end : end - max;
    }

    @Override
    void grow(int more) {
        if (length > end || (long) length + more > MAX) {
            expect(more);
        }
        super.grow(more);
    }

    @Override
    void expect(long more) {
        if (length + more > end) { // first: where there is a bound, the refusal names it
            throw new PortableException(
                    PortableException.Reason.TOO_LARGE, null, "the result takes more than " + max + " bytes");
        }
        super.expect(more);
    }
}
