// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.python;

import dev.isonomy.runtime.ToolExecutor;
import java.util.Map;

/** Programs that use Python tools and end in some way. */
final class Hosts {

    static final String EXITS = "exits";
    static final String WAITS = "waits";
    static final String STUCK = "is stuck";
    static final String PRINTS = "prints";

    private Hosts() {}

    public static void main(String[] arguments) throws InterruptedException {
        PythonTools tools = Python.acme().start();
        ToolExecutor executor = ToolExecutor.of(tools.tools());
        if (arguments[0].equals(PRINTS)) {
            Object printed = executor.call("print_much", Map.of()).unwrap();
            Object after = executor.call("echo", Map.of("value", "after")).unwrap();
            System.exit(printed.equals(52_428_800L) && after.equals("after") ? 0 : 1);
        }
        if (arguments[0].equals(STUCK)) {
            System.out.println(tools.pids().get(0));
            executor.call("stuck", Map.of("seconds", 300));
        }
        executor.callAsync("stubborn", Map.of("seconds", 50));
        executor.call("echo", Map.of("value", 1)).unwrap();
        System.out.println(tools.pids().get(0));
        if (arguments[0].equals(EXITS)) {
            System.exit(0);
        }
        Thread.sleep(50_000);
    }
}
