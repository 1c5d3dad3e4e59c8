// SPDX-License-Identifier: Apache-2.0
package com.acme;

import dev.isonomy.tools.Tool;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/** Tools that a process may not survive. */
public final class Lethal {
    private static int depth;

    private Lethal() {}

    @Tool
    public static void exit(int code) {
        System.exit(code);
    }

    @Tool
    public static int overflow() {
        depth++;
        return overflow() + 1;
    }

    @Tool
    public static Object noClass() {
        throw new NoClassDefFoundError("com/acme/Missing");
    }

    @Tool
    public static int outOfMemory() {
        return new long[Integer.MAX_VALUE].length;
    }

    /** Dereferences null so often that the JVM leaves the check to a fault of the processor. */
    @Tool
    public static int nullPointers(int count) {
        int caught = 0;
        for (int i = 0; i < count; i++) {
            try {
                caught += lengthOf(null);
            } catch (NullPointerException expected) {
                caught++;
            }
        }
        return caught;
    }

    /** Leaves a pool of threads behind that are no daemons, as pools are by default. */
    @Tool
    public static void leaveThreads(int count) {
        for (int i = 0; i < count; i++) {
            Executors.newSingleThreadExecutor().execute(LockSupport::park);
        }
    }

    @Tool
    public static void onShutdown(String text, long waitMs) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            LockSupport.parkNanos(waitMs * 1_000_000);
            System.out.println(text);
            System.out.flush();
        }));
    }

    @Tool
    public static void collect() {
        System.gc();
    }

    private static int lengthOf(int[] array) {
        return array.length;
    }
}
