// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.bridge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** When a waiting side looks again at once: only in a quick rhythm, and never for long. */
class SpinTest {

    private static final long SOON = 150;
    private static final long LATE = 250;

    private long nanos = 1;
    private final Spin spin = new Spin(2, () -> nanos);

    /** Waits so many microseconds for a frame; tells whether the wait began with looking. */
    private boolean waits(Spin waiting, long micros) {
        boolean looks = waiting.begins();
        pass(micros);
        waiting.came();
        return looks;
    }

    private void pass(long micros) {
        nanos += micros * 1_000;
    }

    private int waitsUntilItLooks() {
        int count = 0;
        while (!waits(spin, SOON)) {
            count++;
        }
        return count;
    }

    @Test
    void itLooksAfterEnoughShortWaits() {
        assertEquals(32, waitsUntilItLooks());
    }

    @Test
    void aLongWaitBeginsTheCountAgain() {
        for (int i = 0; i < 31; i++) {
            assertFalse(waits(spin, SOON));
        }
        assertFalse(waits(spin, LATE));
        assertEquals(32, waitsUntilItLooks());
    }

    @Test
    void lookingHasAnEndAndIsThenLeftForAWhile() {
        waitsUntilItLooks();
        assertTrue(spin.begins());
        pass(99);
        assertTrue(spin.goesOn());
        pass(1);
        assertFalse(spin.goesOn());
        assertFalse(spin.begins());
        spin.came();
        assertEquals(31, waitsUntilItLooks());
    }

    @Test
    void aWaitThatIsTakenUpAgainBeganOnce() {
        for (int i = 0; i < 32; i++) {
            spin.begins();
            pass(SOON);
            spin.begins();
            pass(SOON);
            spin.came();
        }
        assertFalse(waits(spin, SOON));
    }

    @Test
    void callsThatComeSlowlyNeverMakeItLook() {
        for (int i = 0; i < 1_000; i++) {
            assertFalse(waits(spin, LATE));
        }
    }

    @Test
    void oneProcessorIsLeftToTheOtherSide() {
        Spin alone = new Spin(1, () -> nanos);
        for (int i = 0; i < 1_000; i++) {
            assertFalse(waits(alone, SOON));
        }
    }
}
