// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.bridge;

import java.nio.ByteBuffer;

/**
 * The calls of one thread of a host in this process, through two direct buffers that both sides see: bytes are copied
 * once each way. One call at a time, always from the same thread.
 */
public final class HostThread {

    private final ByteBuffer request;
    private final ByteBuffer reply;
    private byte[] overflow;

    /**
     * @param request where the host puts a request, from its start
     * @param reply where the envelope is put, from its start
     */
    public HostThread(ByteBuffer request, ByteBuffer reply) {
        this.request = request;
        this.reply = reply;
    }

    /**
     * Runs one call whose request stands in the buffer, see {@link BridgeEndpoint#call(byte[], long)}.
     *
     * @param length how many bytes of the buffer are the request
     * @return how many bytes the envelope takes; more than the reply buffer holds: {@link #overflow} has it
     */
    public int call(BridgeEndpoint endpoint, int length, long token) {
        HostProcess.enter();
        byte[] bytes = new byte[length];
        request.get(0, bytes, 0, length);
        byte[] envelope = endpoint.call(bytes, token);
        HostProcess.leave();
        if (envelope.length <= reply.capacity()) {
            reply.put(0, envelope);
        } else {
            overflow = envelope;
        }
        return envelope.length;
    }

    /** Hands over, once, the envelope that did not fit into the buffer. */
    public byte[] overflow() {
        byte[] envelope = overflow;
        overflow = null;
        return envelope;
    }

    /** Runs one call without the buffers. */
    public static byte[] callBytes(BridgeEndpoint endpoint, byte[] request, long token) {
        HostProcess.enter();
        byte[] envelope = endpoint.call(request, token);
        HostProcess.leave();
        return envelope;
    }
}
