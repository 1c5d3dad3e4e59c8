// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/** What a frame is (W2.3 of spec/wire.md). */
public enum FrameType {
    /** How a worker begins. */
    HELLO,
    /** What a host answers. */
    WELCOME,
    /** What a host says to a worker that it cannot talk to. */
    REFUSED,
    /** The tools of a worker. */
    READY,
    /** Why a worker has no tools. */
    FAILED,
    /** A request. */
    CALL,
    /** How a call ended. */
    OUTCOME,
    /** Nobody waits for a call. */
    CANCEL,
    /** How far a call has come. */
    PROGRESS,
    /** What a tool logged. */
    LOG,
    /** No call comes after this. */
    CLOSE;

    private static final FrameType[] ALL = values();

    /** From this type on frames are not known to this version and are ignored. */
    static final int NOTICE = 128;

    /** The number that stands for it. */
    int code() {
        return ordinal() + 1;
    }

    /** The type of a number, null for one to ignore. */
    static FrameType of(int code) {
        if (code >= NOTICE) {
            return null;
        }
        if (code < 1 || code > ALL.length) {
            throw new BrokenWireException("a frame is of type " + code + ", which is not known");
        }
        return ALL[code - 1];
    }
}
