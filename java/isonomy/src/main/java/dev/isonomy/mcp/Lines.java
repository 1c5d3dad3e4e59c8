// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import java.util.Arrays;

/** Splits a stream into lines, of which no more than the cap is kept (clause 14.14). For one thread. */
final class Lines {

    private static final int FIRST = 8_192;

    private final int cap;
    private final Received into;
    private byte[] kept = new byte[FIRST];
    private int length;
    /** The beginning of a line that has turned out to be too long. */
    private byte[] head;

    /**
     * @param cap the most bytes of a line
     * @param into is given each line without its end
     */
    Lines(int cap, Received into) {
        this.cap = cap;
        this.into = into;
    }

    /** Takes what came. */
    void feed(byte[] data, int count) {
        int start = 0;
        for (int i = 0; i < count; i++) {
            if (data[i] == '\n') {
                add(data, start, i - start);
                end();
                start = i + 1;
            }
        }
        add(data, start, count - start);
    }

    private void add(byte[] data, int from, int count) {
        if (kept.length - length < count) {
            kept = Arrays.copyOf(kept, (int) Math.min(Integer.MAX_VALUE - 8, Math.max(2L * kept.length, (long) length + count)));
        }
        System.arraycopy(data, from, kept, length, count);
        length += count;
        if (head == null && length > cap) {
            head = Arrays.copyOf(kept, Math.min(length, MessageId.SCANNED));
            into.passes(head);
        }
        if (head != null && length > MessageId.SCANNED) {
            byte[] tail = Arrays.copyOfRange(kept, length - MessageId.SCANNED, length);
            kept = Arrays.copyOf(tail, 2 * MessageId.SCANNED);
            length = tail.length;
        }
    }

    private void end() {
        byte[] line = Arrays.copyOf(kept, length);
        byte[] beginning = head;
        length = 0;
        head = null;
        if (kept.length > 1 << 20) {
            kept = new byte[FIRST]; // one long line is no reason to keep its room
        }
        if (beginning == null) {
            into.message(line);
        } else {
            into.tooLong(beginning, line);
        }
    }
}
