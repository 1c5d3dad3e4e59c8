// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.worker;

import dev.isonomy.tools.Tool;
import dev.isonomy.tools.ToolContext;
import dev.isonomy.tools.ToolParam;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Logger;

/** Tools that do to their process what tools do. */
public final class Mischief {

    private Mischief() {}

    @Tool(description = "Give back what came.", version = "2", maxParallel = 3, deadlineMs = 20_000)
    public static Object echo(@ToolParam(name = "value") Object value) {
        return value;
    }

    @Tool
    public static long pid() {
        return ProcessHandle.current().pid();
    }

    @Tool
    public static String pause(@ToolParam(name = "millis") long millis) throws InterruptedException {
        Thread.sleep(millis);
        return "awake";
    }

    @Tool
    public static CompletableFuture<String> later(@ToolParam(name = "millis") long millis) {
        return CompletableFuture.supplyAsync(
                () -> "later", CompletableFuture.delayedExecutor(millis, java.util.concurrent.TimeUnit.MILLISECONDS));
    }

    /** Quick unless it is asked for more, so that it keeps the thread that reads. */
    @Tool
    public static String quick(@ToolParam(name = "millis") long millis) {
        long ends = System.nanoTime() + millis * 1_000_000;
        while (System.nanoTime() - ends < 0) {
            Thread.onSpinWait();
        }
        return "done";
    }

    @Tool
    public static Object untilCancelled(ToolContext context) {
        context.progress(1, 2.0, "waiting");
        long ends = System.nanoTime() + 50_000_000_000L;
        while (!context.cancelled() && System.nanoTime() - ends < 0) {
            Thread.onSpinWait();
        }
        context.logger().log(System.Logger.Level.INFO, "was told: " + context.cancelled());
        return "cancelled";
    }

    @Tool
    public static void exit(@ToolParam(name = "code") int code) {
        System.exit(code);
    }

    @Tool
    public static void halt(@ToolParam(name = "code") int code) {
        Runtime.getRuntime().halt(code);
    }

    /** Writes to where nothing may be written. */
    @Tool
    public static void crash() throws ReflectiveOperationException {
        Class<?> type = Class.forName("sun.misc.Unsafe");
        Field field = type.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        type.getMethod("putAddress", long.class, long.class).invoke(field.get(null), 0L, 0L);
    }

    @Tool
    public static int exhaust() {
        List<byte[]> kept = new ArrayList<>();
        while (true) {
            kept.add(new byte[1 << 20]);
        }
    }

    @Tool
    public static int recurse() {
        return 1 + recurse();
    }

    @Tool
    public static void fail() {
        throw new IllegalStateException("outer", new IllegalArgumentException("inner"));
    }

    @Tool
    public static String big(@ToolParam(name = "size") int size) {
        return "x".repeat(size);
    }

    @Tool
    public static String talk() {
        System.out.println("to standard output");
        Logger.getLogger("acme.talk").warning("stock is low {0}");
        return "said";
    }

    @Tool
    public static Map<Long, Integer> keyed() {
        return Map.of(25L, 26);
    }

    /** Interrupts the thread of its call once that is over. */
    @Tool
    public static String interruptLater() {
        Thread mine = Thread.currentThread();
        Thread thread = new Thread(() -> {
            for (int i = 0; i < 50; i++) {
                mine.interrupt();
                try {
                    Thread.sleep(1);
                } catch (InterruptedException unexpected) {
                    return;
                }
            }
        });
        thread.setDaemon(true);
        thread.start();
        return "will do";
    }

    /** A class whose tools cannot be made. */
    public static final class Unmakeable {
        static final Object SETTING = Map.of().get(null);

        private Unmakeable() {}

        @Tool
        public static Object setting() {
            return SETTING;
        }
    }
}
