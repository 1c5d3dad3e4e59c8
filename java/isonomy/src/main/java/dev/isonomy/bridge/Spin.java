// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.bridge;

import java.util.function.LongSupplier;

/**
 * When whoever waits for a frame looks again at once, before it sleeps.
 *
 * <p>To wake a sleeping thread of another process costs more than all the rest of a quick call, on virtual machines
 * several times more. So where frames come in a quick rhythm, the side that waits looks for the next one for a moment
 * (docs/decisions/0009). For one thread at a time.
 */
final class Spin {

    /** A frame that came within this time came soon. */
    private static final long SOON_NANOS = 200_000;
    /** How long one looks before one sleeps. */
    private static final long SPIN_NANOS = 100_000;
    /** So many frames in a row must have come soon before one looks at all. */
    private static final int CALM = 32;

    private final LongSupplier nanos;
    /** The waits that must still come out short; on one processor they never are enough. */
    private int calm;

    private boolean waits;
    private long start;

    Spin() {
        this(Runtime.getRuntime().availableProcessors(), System::nanoTime);
    }

    Spin(int processors, LongSupplier nanos) {
        this.nanos = nanos;
        calm = processors > 1 ? CALM : -1;
    }

    /** Begins a wait, or goes on with one; tells whether to look again rather than to sleep. */
    boolean begins() {
        if (!waits) {
            waits = true;
            start = nanos.getAsLong();
        }
        return calm == 0;
    }

    /** Tells whether to look once more. Where not, there is no looking for some time. */
    boolean goesOn() {
        if (nanos.getAsLong() - start < SPIN_NANOS) {
            return true;
        }
        calm = CALM;
        return false;
    }

    /** Says that what was waited for, if anything was, has come. */
    void came() {
        if (waits && calm > 0) {
            calm = nanos.getAsLong() - start < SOON_NANOS ? calm - 1 : CALM;
        }
        waits = false;
    }
}
