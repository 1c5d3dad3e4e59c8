// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;

/**
 * How many bytes lists and maps take at least, found without writing them: a part that is held many times is looked at
 * once for each depth. So a list that holds one list twice, which holds one twice, and so on, is refused at once
 * (clause 5.29).
 */
final class LeastSize {
    /** Parts that are looked at in all; a collection may have no end. */
    private static final int MAX_PARTS = 1_000_000;

    /** A comma, or a bracket. */
    private static final int AROUND_ITEM = 1;
    /** An empty key's quotes, a colon, and a comma or a brace. */
    private static final int AROUND_MEMBER = 4;

    private final Map<Object, long[]> known = new IdentityHashMap<>();
    private int parts;

    private LeastSize() {}

    /** The most that one of the containers around a place takes at least. */
    static long of(Place place) {
        LeastSize sizes = new LeastSize();
        long most = 0;
        for (int at = 0; at < place.depth(); at++) {
            most = Math.max(most, sizes.of(place.container(at), at));
        }
        return most;
    }

    private long of(Object value, int depth) {
        boolean isMap = value instanceof Map;
        boolean isList = value instanceof Collection && !(value instanceof Set);
        if (!isMap && !isList || depth >= Place.MAX_DEPTH || Converters.find(value.getClass()) != null) {
            return 1;
        }
        long[] byDepth = known.computeIfAbsent(value, any -> new long[Place.MAX_DEPTH]);
        if (byDepth[depth] == 0) {
            byDepth[depth] = 1; // what holds itself is a marker there
            try {
                byDepth[depth] = isMap
                        ? ofParts(((Map<?, ?>) value).values(), AROUND_MEMBER, depth)
                        : ofParts((Collection<?>) value, AROUND_ITEM, depth);
            } catch (Throwable broken) {
                // A collection of the tool's own that throws is a marker too.
            }
        }
        return byDepth[depth];
    }

    private long ofParts(Collection<?> items, int around, int depth) {
        long size = 1;
        int n = items.size();
        Iterator<?> rest = items.iterator();
        while (n-- > 0 && rest.hasNext() && parts++ < MAX_PARTS && size <= ByteBuilder.MAX) {
            size += around + of(rest.next(), depth + 1);
        }
        return Math.min(size, ByteBuilder.MAX + 1L);
    }
}
