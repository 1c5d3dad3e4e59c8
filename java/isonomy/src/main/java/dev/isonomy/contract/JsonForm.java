// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.math.BigInteger;

/** JSON text in UTF-8 without white space. */
final class JsonForm extends Form {
    private static final String HEX = "0123456789abcdef";

    /** For each ASCII character: 0 for itself, the letter after a backslash, or 'u' for a numbered escape. */
    private static final byte[] ESCAPES = new byte[128];

    static {
        for (int c = 0; c < 0x20; c++) {
            ESCAPES[c] = 'u';
        }
        ESCAPES['"'] = '"';
        ESCAPES['\\'] = '\\';
        ESCAPES['\b'] = 'b';
        ESCAPES['\t'] = 't';
        ESCAPES['\n'] = 'n';
        ESCAPES['\f'] = 'f';
        ESCAPES['\r'] = 'r';
    }

    private final BoundedBytes out = new BoundedBytes();

    /** From here on at most {@code max} bytes may be written, until {@link #endBound}. */
    void beginBound(long max) {
        out.beginBound(max);
    }

    void endBound() {
        out.expect(0);
        out.endBound();
    }

    /** Ends a bound that was already broken. */
    void endBoundUnchecked() {
        out.endBound();
    }

    /** Writes what does not count for the bound. */
    void uncounted(Runnable write) {
        out.pause();
        write.run();
        out.resume();
    }

    void widenBound() {
        out.widen();
    }

    void narrowBound() {
        out.narrow();
    }

    @Override
    void expect(long more) {
        if (more > bound()) { // what is written may yet go: an element that comes twice, a map that is a marker
            out.expect(more);
        }
    }

    @Override
    long bound() {
        return out.bound();
    }

    byte[] toBytes() {
        out.expect(0);
        return out.toBytes();
    }

    ByteBuilder bytes() {
        return out;
    }

    /** A comma where a value or a key follows another: the last byte says so. */
    private void separate() {
        if (out.length > 0) {
            byte last = out.bytes[out.length - 1];
            if (last != '[' && last != '{' && last != ':') {
                out.put(',');
            }
        }
    }

    @Override
    void nul() {
        separate();
        out.putAscii("null");
    }

    @Override
    void bool(boolean value) {
        separate();
        out.putAscii(value ? "true" : "false");
    }

    @Override
    void integer(long value) {
        separate();
        out.putAscii(Long.toString(value));
    }

    @Override
    void integer(BigInteger value) {
        separate();
        out.putAscii(value.toString());
    }

    @Override
    void real(double value) {
        separate();
        out.putAscii(DoubleText.of(value));
    }

    @Override
    boolean text(String value) {
        int start = out.length;
        separate();
        if (quoted(value, false)) {
            return true;
        }
        out.length = start;
        return false;
    }

    @Override
    void plainText(String value) {
        separate();
        quoted(value, true);
    }

    @Override
    void key(String key) {
        separate();
        quoted(key, true);
        out.put(':');
    }

    /** The longest that one step of {@link #quoted} writes: an escape, or two of a pair, and the last quote. */
    private static final int ROOM = 8;

    /** Writes a string with its quotes; false where a lone surrogate stands in the way. */
    private boolean quoted(String value, boolean escapeLone) {
        int n = value.length();
        out.expect(n);
        out.reserve(n + ROOM);
        byte[] bytes = out.bytes;
        int to = out.length;
        bytes[to++] = '"';
        int start = plainStart(value, bytes, to);
        to += start;
        for (int i = start; i < n; i++) {
            if (bytes.length - to < ROOM) {
                out.length = to;
                out.reserve(n - i + ROOM);
                bytes = out.bytes;
            }
            char c = value.charAt(i);
            if (c < 0x80) {
                byte escape = ESCAPES[c];
                if (escape == 0) {
                    bytes[to++] = (byte) c;
                } else if (escape == 'u') {
                    to = numbered(c, bytes, to);
                } else {
                    bytes[to++] = '\\';
                    bytes[to++] = escape;
                }
            } else if (!Character.isSurrogate(c)) {
                to = multibyte(c, bytes, to);
            } else if (Character.isHighSurrogate(c) && i + 1 < n && Character.isLowSurrogate(value.charAt(i + 1))) {
                to = multibyte(Character.toCodePoint(c, value.charAt(++i)), bytes, to);
            } else if (escapeLone) {
                to = numbered(c, bytes, to);
            } else {
                return false;
            }
        }
        bytes[to++] = '"';
        out.length = to;
        return true;
    }

    /** Copies the characters that a string starts with and that stand for themselves; gives their number. */
    @SuppressWarnings("deprecation") // this very way of copying, which drops high bytes, is right for ASCII
    private static int plainStart(String value, byte[] bytes, int to) {
        int n = value.length();
        int i = 0;
        while (i < n && value.charAt(i) < 0x80 && ESCAPES[value.charAt(i)] == 0) {
            i++;
        }
        value.getBytes(0, i, bytes, to);
        return i;
    }

    private static int multibyte(int point, byte[] bytes, int at) {
        int to = at;
        if (point < 0x800) {
            bytes[to++] = (byte) (0xC0 | point >> 6);
        } else {
            if (point < 0x10000) {
                bytes[to++] = (byte) (0xE0 | point >> 12);
            } else {
                bytes[to++] = (byte) (0xF0 | point >> 18);
                bytes[to++] = (byte) (0x80 | point >> 12 & 0x3F);
            }
            bytes[to++] = (byte) (0x80 | point >> 6 & 0x3F);
        }
        bytes[to++] = (byte) (0x80 | point & 0x3F);
        return to;
    }

    private static int numbered(char c, byte[] bytes, int at) {
        int to = at;
        bytes[to++] = '\\';
        bytes[to++] = 'u';
        for (int shift = 12; shift >= 0; shift -= 4) {
            bytes[to++] = (byte) HEX.charAt(c >> shift & 0xF);
        }
        return to;
    }

    @Override
    void beginList() {
        separate();
        out.put('[');
    }

    @Override
    void endList() {
        out.put(']');
    }

    @Override
    void beginObject() {
        separate();
        out.put('{');
    }

    @Override
    void endObject() {
        out.put('}');
    }

    @Override
    void beginSorted() {
        throw new IllegalStateException("JSON alone has no order; write both forms");
    }

    @Override
    void item() {
        beginSorted();
    }

    @Override
    void keyEnd() {
        beginSorted();
    }

    @Override
    boolean endSorted() {
        beginSorted();
        return false;
    }

    @Override
    Mark mark() {
        return new Mark(out.length, 0, 0);
    }

    @Override
    void reset(Mark mark) {
        out.length = mark.json();
    }
}
