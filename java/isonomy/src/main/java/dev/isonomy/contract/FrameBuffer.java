// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.nio.ByteBuffer;

/**
 * Makes frames of a stream of bytes (W2 of spec/wire.md). For one thread at a time.
 *
 * <p>To receive: read into {@link #writable}, which moves its position, and take frames with {@link #next} until there
 * is none. A payload that is longer than the buffer gets an array of its own as soon as its length is known and
 * allowed; nothing is allocated for a length that is not.
 */
public final class FrameBuffer {

    private static final int CAPACITY = 1 << 17;
    /** Room that is worth a read. */
    private static final int LEAST_ROOM = 1 << 14;

    private final ByteBuffer data = ByteBuffer.allocateDirect(CAPACITY);
    /** Where what was not taken begins; it ends at the position of the buffer. */
    private int start;
    private int limit;
    /** A payload that is longer than the buffer, as far as it has come. */
    private byte[] longPayload;
    private int filled;
    private FrameType longType;
    private long longNumber;

    /** A buffer with a limit for the length of its frames. */
    public FrameBuffer(int limit) {
        this.limit = limit;
    }

    /** Sets the limit for the length of the frames that are taken from now on. */
    public void limit(int length) {
        limit = length;
    }

    /** Room for what comes next. */
    public ByteBuffer writable() {
        if (start == data.position()) {
            data.clear();
            start = 0;
        } else if (data.remaining() < LEAST_ROOM || start > CAPACITY / 2) {
            data.limit(data.position()).position(start);
            data.compact();
            start = 0;
        }
        return data;
    }

    /**
     * Says that the stream has ended.
     *
     * @throws BrokenWireException it ended inside a frame (W2.4)
     */
    public void ended() {
        if (start != data.position() || longPayload != null) {
            throw new BrokenWireException("the stream ended inside a frame");
        }
    }

    /**
     * The next frame, or null where it has not come whole.
     *
     * @throws BrokenWireException what comes next is no frame (W2.1 to W2.3)
     */
    public Frame next() {
        while (true) {
            if (longPayload != null) {
                if (!fill()) {
                    return null;
                }
                byte[] payload = longPayload;
                longPayload = null;
                if (longType != null) {
                    return new Frame(longType, longNumber, payload);
                }
                continue;
            }
            int have = data.position() - start;
            if (have < Integer.BYTES) {
                return null;
            }
            int length = data.getInt(start);
            if (length < Frame.FIXED || length > limit) {
                throw new BrokenWireException("a frame's length is " + Integer.toUnsignedString(length) + ", not "
                        + Frame.FIXED + " to " + limit);
            }
            if (have < Frame.HEADER) {
                return null;
            }
            FrameType type = FrameType.of(data.get(start + Integer.BYTES) & 0xff);
            long number = data.getLong(start + Integer.BYTES + 1);
            if (number < 0) {
                throw new BrokenWireException("a frame has a number of 2^63 or more");
            }
            int size = length - Frame.FIXED;
            if (have - Frame.HEADER >= size) {
                byte[] payload = new byte[size];
                data.get(start + Frame.HEADER, payload);
                start += Frame.HEADER + size;
                if (type != null) {
                    return new Frame(type, number, payload);
                }
            } else if (size > CAPACITY - Frame.HEADER) {
                start += Frame.HEADER;
                longPayload = new byte[size];
                filled = 0;
                longType = type;
                longNumber = number;
            } else {
                return null;
            }
        }
    }

    private boolean fill() {
        int some = Math.min(data.position() - start, longPayload.length - filled);
        data.get(start, longPayload, filled, some);
        start += some;
        filled += some;
        return filled == longPayload.length;
    }
}
