// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.worker;

import dev.isonomy.contract.BrokenWireException;

/** How this process ends: at once, whatever its tools are doing, so that it never outlives its host (W1.3). */
final class Ending {

    static final int DONE = 0;
    static final int FAILED = 1;
    /** The exit code of a worker that read a broken wire (W2.5), or whose own code broke. */
    static final int BROKEN = 70;

    private Ending() {}

    /** Ends; no hook of a tool's can keep it. */
    static void now(int code) {
        Runtime.getRuntime().halt(code);
    }

    static void broken(BrokenWireException broken) {
        try {
            System.err.println("the wire broke: " + broken.getMessage());
        } finally { // whatever a tool has made of the standard error
            now(BROKEN);
        }
    }

    /** What a thread of the worker's own does with what it cannot handle: a worker that limps helps nobody. */
    static void uncaught(Thread thread, Throwable thrown) {
        if (thrown instanceof BrokenWireException broken) {
            broken(broken);
        }
        try {
            System.err.println("the worker broke in " + thread.getName() + ": " + thrown);
            thrown.printStackTrace();
        } finally {
            now(BROKEN);
        }
    }
}
