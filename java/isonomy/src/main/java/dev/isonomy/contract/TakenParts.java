// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Takes out of collections and maps what they hold, at most as many parts as they say they have: they may be code of the
 * tool, which throws, has no end or lies about its size (clause 5.26).
 */
final class TakenParts {
    /** Classes of the platform whose parts are all their own; others may be wrapped around a tool's. */
    private static final Set<Class<?>> OWN_PARTS = Set.of(
            ArrayList.class, List.of(1).getClass(), List.of(1, 2, 3).getClass(), Arrays.asList(1).getClass());

    private static final int FIRST_ROOM = 64;

    private final Encoder encoder;

    TakenParts(Encoder encoder) {
        this.encoder = encoder;
    }

    /**
     * The items of a collection; null where it throws.
     *
     * @throws PortableException it says it has more than may be written
     */
    Object[] items(Collection<?> collection) {
        if (OWN_PARTS.contains(collection.getClass())) {
            return collection.toArray();
        }
        int size = size(collection);
        if (size < 0) {
            return null;
        }
        encoder.out().expect(collection instanceof Set ? size : 2L * size);
        try {
            Object[] items = new Object[Math.min(size, FIRST_ROOM)];
            int n = 0;
            for (Iterator<?> each = collection.iterator(); n < size && each.hasNext(); n++) {
                items = n < items.length ? items : Arrays.copyOf(items, Math.min(size, n * 2));
                items[n] = each.next();
            }
            return n == items.length ? items : Arrays.copyOf(items, n);
        } catch (Throwable broken) { // as above
            return null;
        }
    }

    /**
     * The keys and values of a map in turn; null where it throws.
     *
     * @throws PortableException it says it has more than may be written
     */
    Object[] members(Map<?, ?> map) {
        int size = size(map);
        if (size < 0) {
            return null;
        }
        encoder.out().expect(3L * size);
        try {
            Object[] members = new Object[2 * Math.min(size, FIRST_ROOM)];
            int n = 0;
            Iterator<? extends Map.Entry<?, ?>> each = map.entrySet().iterator();
            while (n < 2L * size && each.hasNext()) {
                Map.Entry<?, ?> entry = each.next();
                members = n < members.length ? members : Arrays.copyOf(members, (int) Math.min(2L * size, n * 2L));
                members[n++] = entry.getKey();
                members[n++] = entry.getValue();
            }
            return n == members.length ? members : Arrays.copyOf(members, n);
        } catch (Throwable broken) { // as above
            return null;
        }
    }

    private static int size(Collection<?> collection) {
        try {
            return collection.size();
        } catch (Throwable broken) { // as above
            return -1;
        }
    }

    private static int size(Map<?, ?> map) {
        try {
            return map.size();
        } catch (Throwable broken) { // as above
            return -1;
        }
    }
}
