// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.bridge;

import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** The end of the process that this machine shares with a host in another language. */
public final class HostProcess {

    private static final LongAdder INSIDE = new LongAdder();
    private static volatile boolean ending;

    private HostProcess() {}

    /** Says that the host is ending: a call that returned to it now would meet an interpreter that is gone. */
    public static void end() {
        ending = true;
    }

    /** Says that a thread of the host begins a call here; for good, once the host is ending. */
    static void enter() {
        INSIDE.increment();
        if (ending) {
            stay();
        }
    }

    /** Says that a thread of the host goes back with an envelope; it stays for good, once the host is ending. */
    static void leave() {
        if (ending) {
            stay();
        }
        INSIDE.decrement();
    }

    /**
     * How many threads of the host are in calls here. All others that call at this moment hold what the host's other
     * threads need, its lock, and wait for ever where this machine ends meanwhile.
     */
    public static int inside() {
        return INSIDE.intValue();
    }

    /**
     * Runs the shutdown hooks although threads are left that are no daemons, and ends nothing: the host does, with an
     * exit code of its own. Returns at once.
     */
    public static void runShutdownHooks() {
        try {
            Runtime.getRuntime().addShutdownHook(new Thread(HostProcess::stay, "isonomy-host"));
        } catch (IllegalStateException running) {
            return; // the hooks run already
        }
        Thread exit = new Thread(() -> Runtime.getRuntime().exit(0), "isonomy-shutdown-hooks");
        exit.setDaemon(true);
        exit.start();
    }

    private static void stay() {
        while (true) {
            LockSupport.park();
            Thread.interrupted(); // with it set, park would not wait
        }
    }
}
