// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.AbstractSet;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;

/**
 * A decoded set: unmodifiable, in canonical order. Elements are equal when their encodings are (clause 5.4), so that
 * bytes are found by their content and an {@code Integer} finds a {@code Long}; 1 and 1.0 stay two.
 */
final class PortableSet extends AbstractSet<Object> {
    private final Object[] elements;
    private final byte[][] encodings;
    private volatile Set<CanonicalKey> index;

    PortableSet(Object[] elements, byte[][] encodings) {
        this.elements = elements;
        this.encodings = encodings;
    }

    @Override
    public Iterator<Object> iterator() {
        return Arrays.asList(elements).iterator();
    }

    @Override
    public int size() {
        return elements.length;
    }

    @Override
    public boolean contains(Object element) {
        Set<CanonicalKey> known = index;
        if (known == null) {
            known = new HashSet<>();
            for (byte[] encoding : encodings) {
                known.add(new CanonicalKey(encoding));
            }
            index = known;
        }
        return known.contains(CanonicalKey.of(element));
    }

    @Override
    public boolean equals(Object other) {
        return other == this || super.equals(other);
    }

    /** That of any equal set of the same classes, save that bytes count by their content. */
    @Override
    public int hashCode() {
        int sum = 0;
        for (Object element : elements) {
            sum += hash(element);
        }
        return sum;
    }

    static int hash(Object element) {
        return element instanceof byte[] bytes ? Arrays.hashCode(bytes) : element == null ? 0 : element.hashCode();
    }
}
