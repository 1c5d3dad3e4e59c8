// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** JSON text and the canonical encoding of the same value at once: JSON in canonical order needs both. */
final class BothForms extends Form {
    private final JsonForm json;
    private final CanonicalForm canonical = new CanonicalForm();
    private final List<List<Integer>> starts = new ArrayList<>();

    BothForms(JsonForm json) {
        this.json = json;
    }

    @Override
    void expect(long more) {
        json.expect(more);
    }

    @Override
    long bound() {
        return json.bound();
    }

    @Override
    void nul() {
        json.nul();
        canonical.nul();
    }

    @Override
    void bool(boolean value) {
        json.bool(value);
        canonical.bool(value);
    }

    @Override
    void integer(long value) {
        json.integer(value);
        canonical.integer(value);
    }

    @Override
    void integer(BigInteger value) {
        json.integer(value);
        canonical.integer(value);
    }

    @Override
    void real(double value) {
        json.real(value);
        canonical.real(value);
    }

    @Override
    boolean text(String value) {
        return json.text(value) && canonical.text(value);
    }

    @Override
    void plainText(String value) {
        json.plainText(value);
        canonical.plainText(value);
    }

    @Override
    void beginList() {
        json.beginList();
        canonical.beginList();
    }

    @Override
    void endList() {
        json.endList();
        canonical.endList();
    }

    @Override
    void beginObject() {
        json.beginObject();
        canonical.beginObject();
    }

    @Override
    void key(String key) {
        json.key(key);
        canonical.key(key);
    }

    @Override
    void endObject() {
        json.endObject();
        canonical.endObject();
    }

    @Override
    void beginSorted() {
        json.beginList();
        json.widenBound();
        canonical.beginSorted();
        starts.add(new ArrayList<>());
    }

    @Override
    void item() {
        starts.get(starts.size() - 1).add(json.bytes().length);
        canonical.item();
    }

    @Override
    void keyEnd() {
        canonical.keyEnd();
    }

    @Override
    boolean endSorted() {
        List<Integer> items = starts.remove(starts.size() - 1);
        boolean distinct = canonical.endSorted();
        if (!items.isEmpty()) {
            reorder(json.bytes(), items, canonical.lastOrder());
        }
        json.narrowBound();
        json.endList();
        return distinct;
    }

    /** Each item but the first begins with its comma. */
    private static void reorder(ByteBuilder out, List<Integer> items, int[] order) {
        int begin = items.get(0);
        int end = out.length;
        byte[] written = Arrays.copyOfRange(out.bytes, begin, end);
        out.length = begin;
        for (int i : order) {
            int from = items.get(i) - begin + (i == 0 ? 0 : 1);
            int to = (i + 1 < items.size() ? items.get(i + 1) : end) - begin;
            if (out.length > begin) {
                out.put(',');
            }
            System.arraycopy(written, from, out.bytes, out.length, to - from);
            out.length += to - from;
        }
    }

    @Override
    Mark mark() {
        Mark inner = canonical.mark();
        return new Mark(json.mark().json(), inner.canonical(), inner.openObjects());
    }

    @Override
    void reset(Mark mark) {
        json.reset(mark);
        canonical.reset(mark);
    }
}
