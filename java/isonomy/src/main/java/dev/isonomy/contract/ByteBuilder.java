// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.Arrays;

/** Bytes that grow at their end. */
class ByteBuilder {
    /** The longest array that Java surely makes. */
    static final int MAX = Integer.MAX_VALUE - 8;

    byte[] bytes;
    int length;

    ByteBuilder(int capacity) {
        bytes = new byte[capacity];
    }

    final void put(int b) {
        if (length == bytes.length) {
            grow(1);
        }
        bytes[length++] = (byte) b;
    }

    /** Appends a text whose characters are ASCII. */
    final void putAscii(String text) {
        int n = text.length();
        reserve(n);
        for (int i = 0; i < n; i++) {
            bytes[length++] = (byte) text.charAt(i);
        }
    }

    final void put(byte[] source) {
        reserve(source.length);
        System.arraycopy(source, 0, bytes, length, source.length);
        length += source.length;
    }

    final void reserve(int more) {
        if (bytes.length - length < more) {
            grow(more);
        }
    }

    /** Refuses where so many more bytes are surely too many. */
    void expect(long more) {
        fits(more);
    }

    private void fits(long more) {
        if (length + more > MAX) {
            throw new PortableException(PortableException.Reason.TOO_LARGE, null, "the value takes more than 2 GiB");
        }
    }

    /** Makes room; an encoding that may not grow so far refuses here. */
    void grow(int more) {
        long wanted = Math.max(bytes.length * 2L, (long) length + more);
        fits(more); // room is asked for generously: only what is written counts for a bound
        bytes = Arrays.copyOf(bytes, (int) Math.min(wanted, MAX));
    }

    final byte[] toBytes() {
        return Arrays.copyOf(bytes, length);
    }
}
