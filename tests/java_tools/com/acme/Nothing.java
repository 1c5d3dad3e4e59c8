// SPDX-License-Identifier: Apache-2.0
package com.acme;

/** A class without tools. */
public final class Nothing {
    public static int work() {
        return 1;
    }
}
