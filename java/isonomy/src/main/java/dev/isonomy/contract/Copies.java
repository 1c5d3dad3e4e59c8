// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Unmodifiable copies that keep order and, unlike {@code Map.copyOf}, null values. */
final class Copies {
    private Copies() {}

    static Map<String, Object> map(Map<String, ?> source, String what) {
        if (source == null || source.isEmpty()) {
            return Map.of();
        }
        Map<String, Object> copy = new LinkedHashMap<>();
        int rest = source.size(); // a map may have more than it says, and no end
        for (Map.Entry<?, ?> entry : source.entrySet()) {
            if (rest-- <= 0) {
                break;
            }
            if (!(entry.getKey() instanceof String key)) {
                throw new Misuse("a key of " + what + " is not a text; give texts as keys");
            }
            copy.put(key, entry.getValue());
        }
        return Collections.unmodifiableMap(copy);
    }

    static <T> List<T> list(Collection<? extends T> source, String what) {
        if (source == null || source.isEmpty()) {
            return List.of();
        }
        for (T item : source) {
            Misuse.required(item, "an item of " + what);
        }
        return Collections.unmodifiableList(new ArrayList<>(source));
    }
}
