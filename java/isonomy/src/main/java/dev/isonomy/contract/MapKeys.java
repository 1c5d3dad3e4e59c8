// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Function;

/** What the keys of a map decide (clause 5.19); maps are given as keys and values in turn. */
final class MapKeys {
    /** How many Optionals and converters are followed before they are taken for endless. */
    private static final int MAX_STEPS = 32;

    private MapKeys() {}

    /** Whether the map is an object in JSON. */
    static boolean arePlain(Object[] members) {
        for (int i = 0; i < members.length; i += 2) {
            if (!(members[i] instanceof String key) || Surrogates.firstLone(key) >= 0) {
                return false;
            }
        }
        return members.length != 2 || !((String) members[0]).startsWith(Tags.PREFIX);
    }

    static boolean areDistinct(Object[] members) {
        Set<Object> keys = new HashSet<>();
        for (int i = 0; i < members.length; i += 2) {
            if (!keys.add(members[i])) {
                return false;
            }
        }
        return true;
    }

    /** Puts strings in the place of keys that are written as strings; whether all keys are strings then. */
    static boolean intoStrings(Object[] members) {
        boolean all = true;
        for (int i = 0; i < members.length; i += 2) {
            members[i] = asString(members[i]);
            all &= members[i] instanceof String;
        }
        return all;
    }

    /** The string that a key is written as, or the key itself. */
    private static Object asString(Object key) {
        Object at = key;
        for (int i = 0; at != null && i < MAX_STEPS; i++) {
            if (at instanceof String) {
                return at;
            } else if (Encoder.isOptional(at)) {
                at = Encoder.content(at);
            } else if (Converters.find(at.getClass()) != null) {
                at = converted(at);
            } else if (at instanceof Character || at instanceof Enum<?>) {
                return at instanceof Enum<?> member ? member.name() : at.toString();
            } else {
                return key;
            }
        }
        return key;
    }

    private static Object converted(Object key) {
        Function<Object, ?> converter = Converters.find(key.getClass());
        try {
            Object converted = converter.apply(key);
            return converted == key ? null : converted;
        } catch (Throwable broken) { // thrown again, and answered, where the key is written
            return null;
        }
    }
}
