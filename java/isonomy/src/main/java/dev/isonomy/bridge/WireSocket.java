// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.bridge;

import dev.isonomy.contract.Frame;
import dev.isonomy.contract.FrameBuffer;
import java.io.Closeable;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * One end of a connection between a host and a worker (W1 and W2 of spec/wire.md). Frames are sent by any thread and
 * received by one at a time.
 *
 * <p>A blocking channel is closed by the interruption of whoever uses it, and callers and tools are interrupted here all
 * the time: the channel does not block, and who has to wait does so on a selector.
 */
public final class WireSocket implements AutoCloseable {

    private static final int SEND_CAPACITY = 1 << 16;

    private final SocketChannel channel;
    private final Selector readable = Selector.open();
    private final FrameBuffer received = new FrameBuffer(Frame.LEAST_LIMIT);
    private final Spin spin = new Spin();
    private volatile boolean ended;

    /** Guarded by the lock of this object. */
    private final ByteBuffer sending = ByteBuffer.allocateDirect(SEND_CAPACITY);
    /** Opened by the first sender that has to wait. */
    private volatile Selector writable;

    /** Takes over a connected channel. */
    public WireSocket(SocketChannel channel) throws IOException {
        this.channel = channel;
        channel.configureBlocking(false);
        channel.register(readable, SelectionKey.OP_READ);
    }

    /** Connects to the host that listens at a path. */
    public static WireSocket connect(Path path) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(path));
        return new WireSocket(channel);
    }

    /** Sets the limit for the length of the frames that are received from now on. */
    public void limit(int length) {
        received.limit(length);
    }

    /** Thrown where no byte of a frame was written. */
    public static final class Unsent extends IOException {

        private static final long serialVersionUID = 1L;

        Unsent(IOException broken) {
            super(broken.getMessage(), broken);
        }
    }

    // Receiving -----------------------------------------------------------------------------------

    /** {@link #receive(BooleanSupplier)} for a process that has other things to do. */
    public Frame receive() throws IOException {
        return receive(() -> false);
    }

    /**
     * The next frame, null at the end of the stream. An interrupt of the current thread is kept for later.
     *
     * @param idle whether this process has nothing else to do; it may look for a moment then, before it sleeps
     * @throws dev.isonomy.contract.BrokenWireException what came is no frame
     */
    public Frame receive(BooleanSupplier idle) throws IOException {
        boolean interrupted = false;
        try {
            while (true) {
                Frame frame = poll(idle.getAsBoolean());
                if (frame != null || ended) {
                    return frame;
                }
                interrupted |= Thread.interrupted();
                await(0);
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * The next frame that has come, or null: there is none yet, or the stream has {@link #ended}.
     *
     * @param patiently whether to look for a moment where frames came in a quick rhythm
     */
    public Frame poll(boolean patiently) throws IOException {
        Frame frame = poll();
        if (frame == null && spin.begins() && patiently) {
            while (frame == null && !ended && spin.goesOn()) {
                Thread.onSpinWait();
                frame = poll();
            }
        }
        if (frame != null) {
            spin.came();
        }
        return frame;
    }

    /** The next frame that has come, or null: there is none yet, or the stream has {@link #ended}. */
    public Frame poll() throws IOException {
        Frame frame = received.next();
        while (frame == null && !ended) {
            int count = channel.read(received.writable());
            if (count < 0) {
                ended = true;
                received.ended();
            }
            if (count <= 0) {
                return null;
            }
            frame = received.next();
        }
        return frame;
    }

    /** Whether the other side has closed and all that it sent was taken. */
    public boolean ended() {
        return ended;
    }

    /**
     * Waits until something may have come, {@link #wakeUp} was called, the time is up, or the current thread is
     * interrupted, whose flag stays set.
     *
     * @param millis how long at the most; 0: without an end
     */
    public void await(long millis) throws IOException {
        select(readable, millis);
    }

    private static void select(Selector selector, long millis) throws IOException {
        try {
            selector.select(key -> {}, millis);
        } catch (ClosedSelectorException closed) {
            throw new ClosedChannelException();
        }
    }

    /** Has whoever waits for frames, or waits next, look up. */
    public void wakeUp() {
        readable.wakeup();
    }

    // Sending -------------------------------------------------------------------------------------

    /** Sends a frame whole, however long that takes; an interrupt of the current thread is kept for later. */
    public void send(Frame frame) throws IOException {
        send(frame, 0);
    }

    /**
     * Sends a frame.
     *
     * @param patienceMillis how long it may take, once the current thread is interrupted; 0: without an end
     * @throws Unsent the connection is broken, and no byte of the frame was written
     * @throws IOException the connection is broken, or the frame could not be sent whole in that time: close it
     */
    public synchronized void send(Frame frame, long patienceMillis) throws IOException {
        byte[] payload = frame.payload();
        sending.clear();
        frame.putHeader(sending);
        int done = 0;
        do {
            int some = Math.min(sending.remaining(), payload.length - done);
            sending.put(payload, done, some);
            boolean first = done == 0;
            done += some;
            sending.flip();
            try {
                channel.write(sending);
            } catch (IOException broken) {
                throw first ? new Unsent(broken) : broken;
            }
            if (sending.hasRemaining()) {
                writeSlowly(patienceMillis);
            }
            sending.clear();
        } while (done < payload.length);
    }

    /**
     * Sends a frame without a payload, unless the other side does not take it now.
     *
     * @return false where no byte of it was written
     */
    public synchronized boolean trySend(Frame frame) throws IOException {
        sending.clear();
        frame.putHeader(sending);
        sending.flip();
        if (channel.write(sending) == 0) {
            return false;
        }
        if (sending.hasRemaining()) {
            writeSlowly(0);
        }
        return true;
    }

    private void writeSlowly(long patienceMillis) throws IOException {
        if (writable == null) {
            writable = Selector.open();
        }
        channel.register(writable, SelectionKey.OP_WRITE);
        boolean interrupted = false;
        long endsAt = 0;
        try {
            while (sending.hasRemaining()) {
                if (Thread.interrupted() && !interrupted) {
                    interrupted = true;
                    endsAt = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMillis);
                }
                long left = interrupted && patienceMillis > 0
                        ? Math.max(1, TimeUnit.NANOSECONDS.toMillis(endsAt - System.nanoTime()))
                        : 0;
                select(writable, left);
                channel.write(sending);
                if (left == 1 && sending.hasRemaining()) {
                    throw new IOException("a frame could not be sent whole");
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Closes the connection; more calls do nothing. Who sends or waits for frames gets an {@link IOException}. */
    @Override
    public void close() {
        close(channel);
        close(readable);
        if (writable != null) {
            close(writable);
        }
    }

    private static void close(Closeable open) {
        try {
            open.close();
        } catch (IOException closedAnyway) {
            // there is nothing that could be done about it
        }
    }
}
