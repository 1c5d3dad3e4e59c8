// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.NoSuchElementException;

/**
 * A decoded map with keys of any kind: unmodifiable, in canonical order of its keys. Keys are equal when their
 * encodings are, as in {@link PortableSet}.
 */
final class PortableMap extends AbstractMap<Object, Object> {
    private final Object[] keys;
    private final Object[] values;
    private final byte[][] encodings;
    private volatile Map<CanonicalKey, Integer> index;

    PortableMap(Object[] keys, Object[] values, byte[][] encodings) {
        this.keys = keys;
        this.values = values;
        this.encodings = encodings;
    }

    private int find(Object key) {
        Map<CanonicalKey, Integer> known = index;
        if (known == null) {
            known = new HashMap<>();
            for (int i = 0; i < encodings.length; i++) {
                known.put(new CanonicalKey(encodings[i]), i);
            }
            index = known;
        }
        return known.getOrDefault(CanonicalKey.of(key), -1);
    }

    @Override
    public boolean containsKey(Object key) {
        return find(key) >= 0;
    }

    @Override
    public Object get(Object key) {
        int at = find(key);
        return at < 0 ? null : values[at];
    }

    @Override
    public boolean equals(Object other) {
        return other == this || super.equals(other);
    }

    /** That of any equal map of the same classes, save that bytes as keys count by their content. */
    @Override
    public int hashCode() {
        int sum = 0;
        for (int i = 0; i < keys.length; i++) {
            sum += PortableSet.hash(keys[i]) ^ (values[i] == null ? 0 : values[i].hashCode());
        }
        return sum;
    }

    @Override
    public Set<Map.Entry<Object, Object>> entrySet() {
        return new AbstractSet<>() {
            @Override
            public int size() {
                return keys.length;
            }

            @Override
            public Iterator<Map.Entry<Object, Object>> iterator() {
                return new Iterator<>() {
                    private int next;

                    @Override
                    public boolean hasNext() {
                        return next < keys.length;
                    }

                    @Override
                    public Map.Entry<Object, Object> next() {
                        if (next == keys.length) {
                            throw new NoSuchElementException();
                        }
                        return new SimpleImmutableEntry<>(keys[next], values[next++]);
                    }
                };
            }
        };
    }
}
