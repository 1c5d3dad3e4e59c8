// SPDX-License-Identifier: Apache-2.0

import dev.isonomy.shaded.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Map;

/** The bare side of rows about Java workers: JSON back and forth over the Unix socket at a path, and no more. */
public final class BareEcho {

    private static final ObjectMapper JSON = new ObjectMapper();

    private BareEcho() {}

    /** Serves until the connection ends. */
    public static void main(String[] arguments) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(arguments[0]));
            while (channel.read(buffer.clear()) > 0) {
                byte[] message = new byte[buffer.flip().getInt()];
                buffer.get(message);
                byte[] reply = JSON.writeValueAsBytes(JSON.readValue(message, Map.class));
                channel.write(buffer.clear().putInt(reply.length).put(reply).flip());
            }
        }
    }
}
