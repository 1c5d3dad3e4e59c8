// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.bridge;

import java.util.concurrent.locks.LockSupport;

/** The end of the process that this machine shares with a host in another language. */
public final class HostProcess {

    private static volatile boolean ending;

    private HostProcess() {}

    /** Says that the host is ending: a call that returned to it now would meet an interpreter that is gone. */
    public static void end() {
        ending = true;
    }

    /** Keeps the host's thread here for good, once the host is ending. */
    static void stayIfEnding() {
        if (ending) {
            stay();
        }
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
