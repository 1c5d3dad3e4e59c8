// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.nio.ByteBuffer;

/**
 * One frame (W2 of spec/wire.md).
 *
 * @param type what it is
 * @param number the number of its call, 0 where it has none
 * @param payload its JSON, empty where it has none; belongs to the frame
 */
public record Frame(FrameType type, long number, byte[] payload) {

    /** How many bytes come before the payload. */
    public static final int HEADER = 13;

    /** The limit of a frame's length until a handshake has set another (W2.2). */
    public static final int LEAST_LIMIT = 65_536;

    /** Bytes of a frame behind its length and before its payload. */
    static final int FIXED = 9;

    private static final byte[] NOTHING = {};

    /** Refuses what no frame is. */
    public Frame {
        Misuse.required(type, "the type of a frame");
        Misuse.required(payload, "the payload of a frame");
        if (number < 0) {
            throw new Misuse("the number of a frame is " + number + "; give one from 0");
        }
    }

    /** A frame of no call. */
    public Frame(FrameType type, byte[] payload) {
        this(type, 0, payload);
    }

    /** A frame without a payload. */
    public Frame(FrameType type, long number) {
        this(type, number, NOTHING);
    }

    /** Whether it keeps to a limit of its length (W2.2). */
    public boolean fits(int limit) {
        return payload.length <= limit - FIXED;
    }

    /** Puts all but the payload, {@link #HEADER} bytes. */
    public void putHeader(ByteBuffer to) {
        to.putInt(FIXED + payload.length).put((byte) type.code()).putLong(number);
    }

    /** The frame as it is sent. */
    public byte[] toBytes() {
        ByteBuffer bytes = ByteBuffer.allocate(HEADER + payload.length);
        putHeader(bytes);
        return bytes.put(payload).array();
    }
}
