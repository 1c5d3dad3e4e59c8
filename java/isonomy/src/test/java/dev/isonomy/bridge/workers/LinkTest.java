// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.bridge.workers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.bridge.WireSocket;
import dev.isonomy.contract.Frame;
import dev.isonomy.contract.FrameType;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The host's end of a connection whose other end does not read (W4.4). */
@Timeout(value = 1, unit = TimeUnit.MINUTES)
final class LinkTest {

    private static final long HANG_SECONDS = 20;
    /** A frame that the other side ignores (W2.3), so that it may stand between others. */
    private static final byte[] NOTICE = {0, 0, 0, 9, (byte) 200, 0, 0, 0, 0, 0, 0, 0, 0};

    private SocketChannel near;
    private WireSocket far;
    private Link link;

    @BeforeEach
    void connect(@TempDir Path folder) throws IOException {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("s"));
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(address);
            near = SocketChannel.open(address);
            far = new WireSocket(server.accept());
        }
        link = new Link(new WireSocket(near));
    }

    @AfterEach
    void disconnect() {
        link.end();
        far.close();
    }

    /** Sends what fills the connection to the last byte that it takes. */
    private void fill() throws IOException {
        while (near.write(ByteBuffer.wrap(NOTICE)) > 0) {
            // until nothing more is taken
        }
    }

    @Test
    void aCancellationWaitsForNobodyAndIsSentLater() throws Exception {
        Pending first = new Pending(null);
        assertTrue(link.send("{}".getBytes(UTF_8), first));
        fill();
        CompletableFuture.runAsync(() -> link.cancel(first)).get(HANG_SECONDS, TimeUnit.SECONDS);
        CompletableFuture<Boolean> second = CompletableFuture.supplyAsync(() -> sent(new Pending(null)));
        for (String expected : new String[] {"CALL 1", "CALL 2", "CANCEL 1"}) {
            Frame frame = far.receive();
            assertEquals(expected, frame.type() + " " + frame.number());
        }
        assertTrue(second.get(HANG_SECONDS, TimeUnit.SECONDS));
    }

    @Test
    void theEndWaitsForNobody() throws Exception {
        fill();
        CompletableFuture.runAsync(link::close).get(HANG_SECONDS, TimeUnit.SECONDS);
        link.end();
        Frame frame = far.receive();
        assertTrue(frame == null || frame.type() != FrameType.CLOSE, () -> "told " + frame);
    }

    private boolean sent(Pending call) {
        try {
            return link.send("{}".getBytes(UTF_8), call);
        } catch (Lost | InterruptedException ended) {
            throw new IllegalStateException(ended);
        }
    }
}
