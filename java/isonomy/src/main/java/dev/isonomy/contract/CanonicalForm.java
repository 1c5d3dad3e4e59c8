// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The canonical encoding of clause 6.1. */
final class CanonicalForm extends Form {
    private static final String HEX = "0123456789abcdef";

    /** The keys of an open object and where each begins. */
    private static final class OpenObject {
        final List<String> keys = new ArrayList<>();
        final List<Integer> starts = new ArrayList<>();
        boolean ordered = true;
    }

    /** The items of an open sorted list. */
    private static final class OpenSorted {
        final List<int[]> items = new ArrayList<>();
    }

    private final ByteBuilder out = new ByteBuilder(128);
    private final List<OpenObject> objects = new ArrayList<>();
    private final List<OpenSorted> sorted = new ArrayList<>();

    /** The order that the last {@link #endSorted} gave its items: indices of the items that stayed. */
    private int[] order;

    byte[] toBytes() {
        return out.toBytes();
    }

    int[] lastOrder() {
        return order;
    }

    @Override
    void expect(long more) {
        if (more > bound()) {
            out.expect(more);
        }
    }

    @Override
    long bound() {
        return ByteBuilder.MAX;
    }

    @Override
    void nul() {
        out.put('n');
    }

    @Override
    void bool(boolean value) {
        out.put(value ? 't' : 'f');
    }

    @Override
    void integer(long value) {
        integer(Long.toString(value));
    }

    @Override
    void integer(BigInteger value) {
        integer(value.toString());
    }

    private void integer(String decimal) {
        out.put('i');
        out.putAscii(decimal);
        out.put(';');
    }

    @Override
    void real(double value) {
        out.put('d');
        long bits = Double.doubleToLongBits(value);
        for (int shift = 60; shift >= 0; shift -= 4) {
            out.put(HEX.charAt((int) (bits >>> shift & 0xF)));
        }
    }

    @Override
    boolean text(String value) {
        if (Surrogates.firstLone(value) >= 0) {
            return false;
        }
        wellFormedText(value);
        return true;
    }

    private void wellFormedText(String value) {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        out.put('s');
        out.putAscii(Integer.toString(utf8.length));
        out.put(':');
        out.put(utf8);
    }

    @Override
    void plainText(String value) {
        if (!text(value)) {
            surrogates(value);
        }
    }

    @Override
    void beginList() {
        out.put('[');
    }

    @Override
    void endList() {
        out.put(']');
    }

    @Override
    void beginObject() {
        out.put('{');
        objects.add(new OpenObject());
    }

    @Override
    void key(String key) {
        OpenObject object = objects.get(objects.size() - 1);
        int last = object.keys.size() - 1;
        if (last >= 0 && CodePoints.compare(object.keys.get(last), key) > 0) {
            object.ordered = false;
        }
        object.keys.add(key);
        object.starts.add(out.length);
        plainText(key);
    }

    @Override
    void endObject() {
        OpenObject object = objects.remove(objects.size() - 1);
        if (!object.ordered) {
            List<Integer> byKey = new ArrayList<>();
            for (int i = 0; i < object.keys.size(); i++) {
                byKey.add(i);
            }
            byKey.sort((a, b) -> CodePoints.compare(object.keys.get(a), object.keys.get(b)));
            int begin = object.starts.get(0);
            byte[] members = Arrays.copyOfRange(out.bytes, begin, out.length);
            int end = out.length;
            out.length = begin;
            for (int i : byKey) {
                int from = object.starts.get(i);
                int to = i + 1 < object.starts.size() ? object.starts.get(i + 1) : end;
                copyBack(members, from - begin, to - begin);
            }
        }
        out.put('}');
    }

    private void copyBack(byte[] source, int from, int to) {
        System.arraycopy(source, from, out.bytes, out.length, to - from);
        out.length += to - from;
    }

    @Override
    void beginSorted() {
        beginList();
        sorted.add(new OpenSorted());
    }

    @Override
    void item() {
        List<int[]> items = sorted.get(sorted.size() - 1).items;
        items.add(new int[] {out.length, -1, -1});
        closePrevious(items);
    }

    private void closePrevious(List<int[]> items) {
        if (items.size() > 1) {
            items.get(items.size() - 2)[2] = out.length;
        }
    }

    @Override
    void keyEnd() {
        List<int[]> items = sorted.get(sorted.size() - 1).items;
        items.get(items.size() - 1)[1] = out.length;
    }

    @Override
    boolean endSorted() {
        List<int[]> items = sorted.remove(sorted.size() - 1).items;
        order = new int[0];
        boolean distinct = true;
        if (!items.isEmpty()) {
            items.get(items.size() - 1)[2] = out.length;
            int begin = items.get(0)[0];
            byte[] written = Arrays.copyOfRange(out.bytes, begin, out.length);
            int[] kept = ordered(items, written, begin);
            distinct = kept.length == items.size();
            out.length = begin;
            for (int i : kept) {
                copyBack(written, items.get(i)[0] - begin, items.get(i)[2] - begin);
            }
            order = kept;
        }
        endList();
        return distinct;
    }

    /** The items in the order of their keys, the first of equal ones. */
    private static int[] ordered(List<int[]> items, byte[] written, int begin) {
        List<Integer> byKey = new ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
            byKey.add(i);
        }
        byKey.sort((a, b) -> compare(items.get(a), items.get(b), written, begin));
        int[] kept = new int[items.size()];
        int n = 0;
        for (int i : byKey) {
            if (n == 0 || compare(items.get(kept[n - 1]), items.get(i), written, begin) != 0) {
                kept[n++] = i;
            }
        }
        return Arrays.copyOf(kept, n);
    }

    private static int compare(int[] a, int[] b, byte[] written, int begin) {
        return Arrays.compareUnsigned(
                written, a[0] - begin, keyEnd(a) - begin, written, b[0] - begin, keyEnd(b) - begin);
    }

    private static int keyEnd(int[] item) {
        return item[1] < 0 ? item[2] : item[1];
    }

    @Override
    Mark mark() {
        return new Mark(0, out.length, objects.size());
    }

    @Override
    void reset(Mark mark) {
        out.length = mark.canonical();
        objects.subList(mark.openObjects(), objects.size()).clear();
    }
}
