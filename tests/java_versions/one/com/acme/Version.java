// SPDX-License-Identifier: Apache-2.0
package com.acme;

import dev.isonomy.tools.Tool;

/** A class of which there are two. */
public final class Version {
    private static int calls;

    private Version() {}

    @Tool
    public static String version() {
        return "one " + ++calls;
    }
}
