// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.worker;

import dev.isonomy.bridge.BridgeEndpoint;
import dev.isonomy.bridge.ToolClasses;
import dev.isonomy.bridge.WireSocket;
import dev.isonomy.contract.BrokenWireException;
import dev.isonomy.contract.ErrorInfo;
import dev.isonomy.contract.Frame;
import dev.isonomy.contract.Handshake;
import dev.isonomy.contract.Handshake.Answer;
import dev.isonomy.contract.Handshake.Failed;
import dev.isonomy.contract.Handshake.Hello;
import dev.isonomy.contract.Handshake.Refused;
import dev.isonomy.contract.Handshake.Welcome;
import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.Outcome;
import dev.isonomy.contract.Raised;
import dev.isonomy.tools.Boundary;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A worker: a process that serves the Java tools on its class path to a host in any language (spec/wire.md).
 *
 * <pre>{@code java OPTIONS -cp isonomy.jar:TOOLS dev.isonomy.worker.Main SOCKET}</pre>
 *
 * The options are those of the package's description.
 */
public final class Main {

    /** The exit code of a worker that was started wrongly. */
    private static final int USAGE = 2;

    private Main() {}

    /** Serves until the connection ends. */
    public static void main(String[] arguments) {
        if (arguments.length != 1) {
            System.err.println("usage: java -cp isonomy.jar:TOOLS dev.isonomy.worker.Main SOCKET"
                    + " (a host starts this; SOCKET is where it listens)");
            System.exit(USAGE);
        }
        // Nothing that a tool prints is to be where a host could read it for more than text.
        System.setOut(System.err);
        System.setIn(InputStream.nullInputStream());
        Logs.install();
        Path path = Path.of(arguments[0]);
        WireSocket socket = null;
        try {
            socket = WireSocket.connect(path);
            serve(socket);
        } catch (IOException gone) {
            if (socket == null && (gone instanceof ConnectException || !Files.exists(path))) {
                Ending.now(Ending.DONE); // the host ended, or closed its workers, while this one started (W1.3)
                return;
            }
            System.err.println("the connection to the host at " + arguments[0] + " broke: " + gone);
            Ending.now(Ending.FAILED);
        } catch (BrokenWireException broken) {
            Ending.broken(broken);
        }
    }

    private static void serve(WireSocket socket) throws IOException {
        socket.send(Handshake.frame(new Hello(
                Handshake.VERSIONS, "java", version(), ProcessHandle.current().pid())));
        Frame frame = socket.receive();
        if (frame == null) {
            Ending.now(Ending.DONE);
            return;
        }
        Answer answer = Handshake.readAnswer(frame);
        if (answer instanceof Refused refused) {
            System.err.println("the host refused this worker: " + refused.message());
            Ending.now(Ending.FAILED);
            return;
        }
        Welcome welcome = (Welcome) answer;
        int limit = (int) Math.min(welcome.maxFrame(), Integer.MAX_VALUE - Frame.HEADER);
        socket.limit(limit);
        Serving serving = new Serving(socket, limit);
        // Somebody sees the end of the connection while tools are loaded, which may take for ever.
        serving.start();
        load(serving, welcome);
    }

    private static void load(Serving serving, Welcome welcome) throws IOException {
        String[] names = welcome.tools().toArray(String[]::new);
        Outcome loaded = Boundary.run(
                () -> {
                    serving.ready(BridgeEndpoint.load(names, ToolClasses.of(new String[0])));
                    return null;
                },
                thrown -> thrown instanceof IOException);
        if (loaded instanceof Raised raised) {
            ErrorInfo error = raised.error();
            String message = error.type().equals(Misuse.class.getName())
                    ? error.message()
                    : "the tools " + welcome.tools() + " cannot be loaded: " + error.type() + ": " + error.message();
            serving.failed(new Failed(message, error.trace()));
        }
    }

    private static String version() {
        String version = Main.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }
}
