// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.math.BigInteger;

/** The limit of clause 5.8 for integers and for coefficients of decimals. */
final class Digits {
    /** How many decimal digits an integer may have. */
    static final int MAX = 4_300;

    /** Integers of so many bits surely fit: 14,281 bits are less than 4,300 digits. */
    private static final int SURE_BITS = 14_281;

    private static final BigInteger FIRST_BEYOND = BigInteger.TEN.pow(MAX);

    private Digits() {}

    static boolean tooMany(BigInteger value) {
        return value.bitLength() > SURE_BITS && value.abs().compareTo(FIRST_BEYOND) >= 0;
    }
}
