// SPDX-License-Identifier: Apache-2.0
package com.acme;

import dev.isonomy.tools.Tool;
import dev.isonomy.tools.ToolContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Tools that take their time. */
public final class Waiting {
    private static final ConcurrentHashMap<String, CountDownLatch> GATES = new ConcurrentHashMap<>();
    private static final AtomicInteger INTERRUPTED = new AtomicInteger();
    private static final AtomicInteger RUNNING = new AtomicInteger();

    private Waiting() {}

    /** Waits, where an interrupt ends it, until {@link #open} is called for that gate. */
    @Tool
    public static String await(String gate) throws InterruptedException {
        RUNNING.incrementAndGet();
        try {
            gate(gate).await();
        } catch (InterruptedException interrupted) {
            INTERRUPTED.incrementAndGet();
            throw interrupted;
        } finally {
            RUNNING.decrementAndGet();
        }
        return "opened";
    }

    /** Leaves its thread interrupted, as code does that has caught an InterruptedException. */
    @Tool
    public static String leavesInterrupted() {
        Thread.currentThread().interrupt();
        return "left";
    }

    @Tool
    public static void open(String gate) {
        gate(gate).countDown();
    }

    /** Waits deaf to interrupts, after writing a file that tells that it does. */
    @Tool
    public static String deaf(String gate, String file) throws IOException {
        tell(file);
        while (gate(gate).getCount() > 0) {
            LockSupport.parkNanos(1_000_000);
            Thread.interrupted();
        }
        return "opened";
    }

    /** Computes for good, after writing a file that tells that it does. */
    @Tool
    public static long spin(String file) throws IOException {
        tell(file);
        long turns = 0;
        while (turns >= 0) {
            turns = (turns + 1) & Long.MAX_VALUE;
        }
        return turns;
    }

    @Tool
    public static void nap(long milliseconds) throws InterruptedException {
        Thread.sleep(milliseconds);
    }

    /** Works in small steps until it is told that nobody waits. */
    @Tool
    public static String patient(ToolContext context) {
        RUNNING.incrementAndGet();
        while (!context.cancelled()) {
            LockSupport.parkNanos(1_000_000);
        }
        RUNNING.decrementAndGet();
        return "told";
    }

    /** A stage that never ends. */
    @Tool
    public static CompletionStage<String> never() {
        return new CompletableFuture<>();
    }

    @Tool
    public static int running() {
        return RUNNING.get();
    }

    @Tool
    public static int interrupted() {
        return INTERRUPTED.get();
    }

    /** Whether this thread still carries the interrupt of an earlier call. */
    @Tool
    public static boolean interruptLeft() {
        return Thread.currentThread().isInterrupted();
    }

    @Tool
    public static String thread() {
        return Thread.currentThread().getName();
    }

    @Tool
    public static int threads(String prefix) {
        return (int) Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(prefix))
                .count();
    }

    private static CountDownLatch gate(String name) {
        return GATES.computeIfAbsent(name, any -> new CountDownLatch(1));
    }

    private static void tell(String file) throws IOException {
        if (!file.isEmpty()) {
            Files.writeString(Path.of(file), "running");
        }
    }
}
