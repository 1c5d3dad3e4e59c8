// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.bridge;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.isonomy.contract.BridgeCall;
import dev.isonomy.contract.Envelope;
import dev.isonomy.contract.Limits;
import dev.isonomy.contract.Outcome;
import dev.isonomy.contract.Raised;
import dev.isonomy.contract.Returned;
import dev.isonomy.tools.BoundTool;
import dev.isonomy.tools.ToolRegistry;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** How bytes come from a host's thread and go back to it. */
final class HostThreadTest {

    private static final int ROOM = 400;

    private final CountDownLatch gate = new CountDownLatch(1);
    private final BridgeEndpoint endpoint = BridgeEndpoint.of(ToolRegistry.of(
            BoundTool.named("repeat")
                    .schema(Map.of("type", "object"))
                    .body((arguments, context) -> "x".repeat(((Long) arguments.get("times")).intValue())),
            BoundTool.named("wait").schema(Map.of("type", "object")).body((arguments, context) -> {
                gate.await();
                return Thread.currentThread().getName();
            })));

    private static byte[] request(String tool, Map<String, Object> arguments) {
        return Envelope.encodeCall(new BridgeCall(tool, arguments, Map.of(), null, 1, null, Limits.DEFAULT));
    }

    private static Outcome outcome(byte[] envelope) {
        return Envelope.decodeReply(envelope).outcome();
    }

    @Test
    void aReplyStandsInTheBufferWhereItFits() {
        ByteBuffer in = ByteBuffer.allocateDirect(ROOM);
        ByteBuffer out = ByteBuffer.allocateDirect(ROOM);
        HostThread thread = new HostThread(in, out);
        for (int times = 0; times < 2 * ROOM; times++) {
            byte[] request = request("repeat", Map.of("times", times));
            in.put(0, request);
            int length = thread.call(endpoint, request.length, 0);
            byte[] envelope = new byte[length];
            if (length <= ROOM) {
                out.get(0, envelope);
                assertNull(thread.overflow());
            } else {
                envelope = thread.overflow();
                assertEquals(length, envelope.length);
                assertNull(thread.overflow());
            }
            assertEquals(new Returned("x".repeat(times)), outcome(envelope));
            assertArrayEquals(envelope, HostThread.callBytes(endpoint, request, 0));
        }
        assertEquals(0, in.position());
        assertEquals(0, out.position());
    }

    @Test
    void aCallAsideIsWaitedForInSteps() {
        CallAside aside = CallAside.start(endpoint, request("wait", Map.of()), 1);
        assertNull(aside.reply(1));
        gate.countDown();
        byte[] envelope;
        do {
            envelope = aside.reply(50);
        } while (envelope == null);
        assertEquals(new Returned("isonomy-call"), outcome(envelope));
    }

    @Test
    void anInterruptOfTheHostsThreadLetsItLookUp() {
        CallAside aside = CallAside.start(endpoint, request("wait", Map.of()), 1);
        Thread.currentThread().interrupt();
        assertNull(aside.reply(600_000));
        gate.countDown();
    }

    @Test
    void aCallThatWasCancelledBeforeItCameIsToldAsItBegins() {
        endpoint.cancel(7);
        Raised raised = assertInstanceOf(Raised.class, outcome(endpoint.call(request("wait", Map.of()), 7)));
        assertEquals("java.lang.InterruptedException", raised.error().type());
        gate.countDown();
        assertEquals(
                new Returned(Thread.currentThread().getName()),
                outcome(endpoint.call(request("wait", Map.of()), 8)));
    }
}
