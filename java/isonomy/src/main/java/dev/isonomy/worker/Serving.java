// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.worker;

import dev.isonomy.bridge.BridgeEndpoint;
import dev.isonomy.bridge.WireSocket;
import dev.isonomy.contract.BridgeCall;
import dev.isonomy.contract.BridgeReply;
import dev.isonomy.contract.BrokenWireException;
import dev.isonomy.contract.Effect;
import dev.isonomy.contract.Envelope;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Frame;
import dev.isonomy.contract.FrameType;
import dev.isonomy.contract.Handshake;
import dev.isonomy.contract.Handshake.Failed;
import dev.isonomy.contract.Limits;
import dev.isonomy.contract.PortableException;
import dev.isonomy.contract.Progress;
import dev.isonomy.contract.Settled;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Serves the calls of one connection, side by side (W4 of spec/wire.md). The thread that reads a call runs it itself
 * where that tool's last body was quick, and lets another read on first where it was not.
 */
final class Serving {

    private static final long QUICK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final WireSocket socket;
    private final int limit;
    private final Logs logs;
    private final Readers readers = new Readers(this::read);
    /** By tool: whether its last body was quick; a tool that never ran is not here. */
    private final Map<String, Boolean> quick = new ConcurrentHashMap<>();
    /** The numbers of the calls that were not answered. */
    private final Map<Long, Boolean> open = new ConcurrentHashMap<>();
    private volatile BridgeEndpoint endpoint;
    private volatile boolean closing;
    /** Touched by whoever reads. */
    private long last;

    Serving(WireSocket socket, int limit) {
        this.socket = socket;
        this.limit = limit;
        this.logs = new Logs(socket, limit, () -> !open.isEmpty());
    }

    /** Begins to read. */
    void start() {
        logs.begin();
        readers.start();
    }

    /** Says which tools there are; calls may come from now on. */
    void ready(BridgeEndpoint loaded) throws IOException {
        Frame ready = Handshake.ready(loaded.describe());
        if (!ready.fits(limit)) {
            failed(new Failed("the description of the tools takes more than " + limit + " bytes", null));
        }
        endpoint = loaded;
        socket.send(ready);
    }

    /** Says why there are no tools, and ends. */
    void failed(Failed why) throws IOException {
        Frame failed = Handshake.frame(why);
        socket.send(failed.fits(limit) ? failed : Handshake.frame(new Failed(why.message(), null)));
        Ending.now(Ending.FAILED);
    }

    // Reading -------------------------------------------------------------------------------------

    /** Reads one frame and does what it asks for; called by one reader at a time, the one whose turn it is. */
    private void read(Readers.Turn turn) {
        Frame frame;
        try {
            frame = socket.receive(open::isEmpty);
        } catch (IOException gone) {
            frame = null;
        }
        if (frame == null) {
            Ending.now(Ending.DONE);
            return;
        }
        if (endpoint == null) {
            throw new BrokenWireException("a frame of type " + frame.type() + " before the tools were loaded");
        }
        switch (frame.type()) {
            case CALL -> call(frame, turn);
            // Whoever ends the call waits for this: no cancellation comes after its end.
            case CANCEL -> open.computeIfPresent(frame.number(), (number, running) -> {
                endpoint.cancel(number);
                return running;
            });
            case CLOSE -> {
                closing = true;
                closeIfDone();
            }
            default -> throw new BrokenWireException("a frame of type " + frame.type() + " from a host");
        }
    }

    private void call(Frame frame, Readers.Turn turn) {
        long number = frame.number();
        if (number <= last || closing) {
            throw new BrokenWireException(closing ? "a call after the last" : "the number of a call does not rise");
        }
        last = number;
        BridgeCall call;
        try {
            call = Envelope.decodeCall(frame.payload());
        } catch (PortableException malformed) {
            send(new Frame(FrameType.OUTCOME, number, BridgeEndpoint.malformed(malformed)));
            return;
        }
        open.put(number, Boolean.TRUE);
        if (quick.getOrDefault(call.tool(), Boolean.FALSE)) {
            turn.keep(() -> answer(number, call));
        } else {
            turn.pass();
            answer(number, call);
        }
    }

    // Answering -----------------------------------------------------------------------------------

    private void answer(long number, BridgeCall call) {
        logs.enter(number);
        long began = System.nanoTime();
        byte[] envelope = endpoint.call(call, number, progress -> tell(number, progress));
        boolean wasQuick = System.nanoTime() - began < QUICK_NANOS;
        if (endpoint.has(call.tool())) {
            quick.put(call.tool(), wasQuick);
        }
        logs.leave();
        Frame outcome = new Frame(FrameType.OUTCOME, number, envelope);
        send(outcome.fits(limit) ? outcome : tooLarge(number));
        open.remove(number);
        endpoint.forget(number);
        closeIfDone();
    }

    private void tell(long number, Progress progress) {
        Frame frame = progress.frame(number);
        if (frame.fits(limit)) {
            send(frame);
        }
    }

    private Frame tooLarge(long number) {
        Settled tooLarge = Settled.of(
                ErrorKind.TOO_LARGE, "the result takes more than " + limit + " bytes", Effect.POSSIBLE);
        return new Frame(FrameType.OUTCOME, number, Envelope.encodeReply(new BridgeReply(tooLarge), Limits.DEFAULT));
    }

    private void send(Frame frame) {
        try {
            socket.send(frame);
        } catch (IOException gone) {
            Ending.now(Ending.DONE);
        }
    }

    private void closeIfDone() {
        if (closing && open.isEmpty()) {
            endpoint.close();
            socket.close();
            System.exit(Ending.DONE);
        }
    }
}
