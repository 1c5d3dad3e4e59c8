// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.Portable;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/** Collects the settings of an {@link McpServer}. Not for use by several threads. */
public final class McpServerBuilder {

    private static final int MAX_REPLY = 64 * 1024 * 1024;

    private final List<String> command;
    private final URI url;
    private final Map<String, String> environment = new LinkedHashMap<>();
    private final Map<String, String> headers = new LinkedHashMap<>();
    private Path directory;
    private int maxReply = MAX_REPLY;
    String name;
    Duration timeout;
    Duration startTimeout = Duration.ofSeconds(30);
    List<String> allowed;

    McpServerBuilder(List<String> command) {
        if (command.isEmpty() || command.contains(null) || command.get(0).isBlank()) {
            throw new Misuse("McpServer.command takes a program and its arguments, got " + command);
        }
        this.command = List.copyOf(command);
        this.url = null;
        Path program = Path.of(command.get(0)).getFileName();
        this.name = program == null ? command.get(0) : program.toString();
    }

    McpServerBuilder(String url) {
        this.command = null;
        try {
            this.url = URI.create(url);
            HttpRequest.newBuilder(this.url);
        } catch (IllegalArgumentException | NullPointerException none) {
            throw new Misuse("McpServer.url takes an address such as http://localhost:8080/mcp, got " + url);
        }
        this.name = this.url.getHost();
    }

    /** What this host calls the server; the name of its program or of its host unless set. */
    public McpServerBuilder name(String name) {
        if (name == null || name.isBlank()) {
            throw new Misuse("the name of an MCP server is a text that is not blank");
        }
        this.name = name;
        return this;
    }

    /**
     * Adds environment variables of the process. Beside them it sees {@code PATH}, {@code HOME} and the like, and no
     * others of this process.
     */
    public McpServerBuilder environment(Map<String, String> variables) {
        variables.forEach((name, value) -> {
            if (name == null || value == null) {
                throw new Misuse("McpServer: the variable " + name + " of environment or its value is null");
            }
            environment.put(name, value);
        });
        return this;
    }

    /** The working directory of the process; that of this one unless set. */
    public McpServerBuilder directory(Path directory) {
        this.directory = directory;
        return this;
    }

    /** Adds a header of every HTTP request, such as a bearer token. */
    public McpServerBuilder header(String name, String value) {
        try {
            HttpRequest.newBuilder().header(name, value);
        } catch (IllegalArgumentException | NullPointerException none) {
            throw new Misuse("McpServer: " + name + " is no header that can be set, or its value is none");
        }
        headers.put(name, value);
        return this;
    }

    /** How long one call may take; as long as it likes unless set. */
    public McpServerBuilder timeout(Duration timeout) {
        this.timeout = positive("timeout", timeout);
        return this;
    }

    /**
     * How long it may take to open a connection, to begin a session and to read the list of tools, all together; 30
     * seconds unless set (clause 14.20).
     */
    public McpServerBuilder startTimeout(Duration startTimeout) {
        this.startTimeout = positive("startTimeout", startTimeout);
        return this;
    }

    /** The most bytes of one message of the server, from 1; 64 MiB unless set. */
    public McpServerBuilder maxReply(int bytes) {
        if (bytes < 1) {
            throw new Misuse("McpServer: maxReply is a number of bytes from 1, got " + bytes);
        }
        this.maxReply = bytes;
        return this;
    }

    /**
     * The names of the tools to take; all unless set. With names, a server that cannot be reached is no mistake: calls
     * fail until it is.
     */
    public McpServerBuilder tools(String... names) {
        if (Arrays.asList(names).contains(null)) {
            throw new Misuse("McpServer: tools takes names, got " + Arrays.toString(names));
        }
        this.allowed = new ArrayList<>(new LinkedHashSet<>(Arrays.asList(names)));
        return this;
    }

    /**
     * Connects, and reads which tools there are.
     *
     * @throws McpUnavailable the server cannot be reached, and {@link #tools} was not used
     * @throws Misuse a program was given headers, or an address variables or a directory
     */
    public McpServer start() {
        if (url == null && !headers.isEmpty()) {
            throw new Misuse("McpServer: header is for a url; give a command its secrets in environment");
        }
        if (url != null && (directory != null || !environment.isEmpty())) {
            throw new Misuse("McpServer: environment and directory are for a command; give a url headers");
        }
        return new McpServer(this);
    }

    private static Duration positive(String what, Duration given) {
        if (given == null || given.isZero() || given.isNegative()) {
            throw new Misuse("McpServer: " + what + " is a positive duration, got " + given);
        }
        return given;
    }

    /** A new connection. */
    Connection open(ServerLog log, Runnable changed) throws Unreachable {
        String quoted = Portable.quoted(name);
        return url == null
                ? StdioConnection.open(
                        quoted, command, environment, directory == null ? null : directory.toFile(), maxReply, log, changed)
                : new HttpConnection(quoted, url, Map.copyOf(headers), maxReply, log, changed);
    }
}
