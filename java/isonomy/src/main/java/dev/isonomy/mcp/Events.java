// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Splits a stream of server-sent events into their data. For one thread. */
final class Events implements Received {

    private static final byte[] FIELD = "data:".getBytes(StandardCharsets.US_ASCII);

    private final int cap;
    private final Received into;
    private final Lines lines;
    private final ByteArrayOutputStream data = new ByteArrayOutputStream();
    private boolean begun;
    private boolean afterReturn;
    private byte[] head;
    private byte[] tail;

    /**
     * @param cap the most bytes of one event's data
     * @param into is given the data of each event
     */
    Events(int cap, Received into) {
        this.cap = cap;
        this.into = into;
        this.lines = new Lines((int) Math.min(Integer.MAX_VALUE - 64L, (long) cap + FIELD.length + 2), this);
    }

    /** Takes what came, of which nothing is left: a line ends with CR, LF or both. */
    void feed(byte[] bytes, int count) {
        int length = 0;
        for (int i = 0; i < count; i++) {
            boolean isReturn = bytes[i] == '\r';
            if (bytes[i] != '\n' || !afterReturn) {
                bytes[length++] = isReturn ? (byte) '\n' : bytes[i];
            }
            afterReturn = isReturn;
        }
        lines.feed(bytes, length);
    }

    @Override
    public void message(byte[] line) {
        int end = line.length;
        if (end == 0) {
            dispatch();
        } else if (head == null && startsWithField(line)) {
            int start = FIELD.length < end && line[FIELD.length] == ' ' ? FIELD.length + 1 : FIELD.length;
            if (begun) {
                data.write('\n');
            }
            begun = true;
            data.write(line, start, Math.max(0, end - start));
            if (data.size() > cap) {
                byte[] whole = data.toByteArray();
                head = Arrays.copyOf(whole, Math.min(whole.length, MessageId.SCANNED));
                tail = Arrays.copyOfRange(whole, Math.max(0, whole.length - MessageId.SCANNED), whole.length);
                data.reset();
                into.passes(head);
            }
        }
    }

    @Override
    public void passes(byte[] beginning) {
        if (startsWithField(beginning)) {
            into.passes(Arrays.copyOfRange(beginning, FIELD.length, beginning.length));
        }
    }

    @Override
    public void tooLong(byte[] beginning, byte[] end) {
        if (startsWithField(beginning)) {
            head = Arrays.copyOfRange(beginning, FIELD.length, beginning.length);
            tail = end;
        }
    }

    private void dispatch() {
        byte[] cut = head;
        byte[] event = begun && cut == null ? data.toByteArray() : null;
        head = null;
        begun = false;
        data.reset();
        if (cut != null) {
            into.tooLong(cut, tail);
        } else if (event != null) {
            into.message(event);
        }
    }

    private static boolean startsWithField(byte[] line) {
        return line.length >= FIELD.length && Arrays.equals(line, 0, FIELD.length, FIELD, 0, FIELD.length);
    }
}
