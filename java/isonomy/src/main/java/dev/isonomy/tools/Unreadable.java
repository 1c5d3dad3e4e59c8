// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Thrown while valid JSON is bound to Java types: a text, number or object cannot be read as the
 * declared type (rule {@code conversion}, clause 7.11). Collects all such places on its way out.
 */
final class Unreadable extends Exception {

    private static final long serialVersionUID = 1L;

    private final transient List<Place> places = new ArrayList<>(1);

    /** @param steps from the innermost outwards, names and indexes */
    private record Place(List<Object> steps, String type) {}

    Unreadable(String type) {
        super(null, null, false, false);
        places.add(new Place(new ArrayList<>(2), type));
    }

    /** Notes that every place so far lies within {@code step}, a name or an index. */
    Unreadable within(Object step) {
        places.forEach(place -> place.steps.add(step));
        return this;
    }

    /** Both, where {@code earlier} is not null. */
    Unreadable after(Unreadable earlier) {
        if (earlier == null) {
            return this;
        }
        earlier.places.addAll(places);
        return earlier;
    }

    /** One violation for each place. */
    List<Violation> violations() {
        List<Violation> violations = new ArrayList<>(places.size());
        for (Place place : places) {
            List<Object> steps = new ArrayList<>(place.steps);
            Collections.reverse(steps);
            violations.add(
                    new Violation(
                            ArgumentPath.of(steps),
                            "conversion",
                            "cannot be read as " + place.type));
        }
        return violations;
    }
}
