// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.bridge.workers;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * What is started as a worker.
 *
 * @param who the program in words, for messages
 * @param language what its tools are written in
 * @param command the command, to which the path of the socket is added
 * @param probe a command that fails for the reason for which the worker did not begin, and says so on its standard error
 * @param tools the names of what it loads
 * @param path folders that it imports from before others
 * @param environment variables beside, or in place of, those of this process
 * @param folder its working directory, or null for that of this process
 * @param timeout how long it has from its start until it is ready
 * @param maxFrame how many bytes a frame may have, at least 65,536
 */
public record Program(
        String who,
        String language,
        List<String> command,
        List<String> probe,
        List<String> tools,
        List<String> path,
        Map<String, String> environment,
        Path folder,
        Duration timeout,
        int maxFrame) {

    /** Copies the collections. */
    public Program {
        command = List.copyOf(command);
        probe = List.copyOf(probe);
        tools = List.copyOf(tools);
        path = List.copyOf(path);
        environment = Map.copyOf(environment);
    }

    /** The worker in words. */
    String what() {
        return "the worker of " + who + " for " + String.join(", ", tools);
    }

    /** A process of this program's surroundings that is still to be started. */
    ProcessBuilder process(List<String> words) {
        ProcessBuilder builder = new ProcessBuilder(words);
        builder.environment().putAll(environment);
        if (folder != null) {
            builder.directory(folder.toFile());
        }
        builder.redirectInput(ProcessBuilder.Redirect.from(new java.io.File("/dev/null")));
        return builder;
    }
}
