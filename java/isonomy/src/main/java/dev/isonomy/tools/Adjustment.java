// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is mended before arguments are judged (clauses 7.5 and 7.6): a string where the schema demands an object or
 * array is parsed as JSON, and null for an optional property that does not accept null counts as absent. Arguments that
 * are valid as they came need neither, so this runs for the others only. Values are copied where they change.
 */
final class Adjustment {

    private final Shape shape;
    private final List<Object> steps = new ArrayList<>();
    private final List<String> decoded = new ArrayList<>();

    Adjustment(Shape shape) {
        this.shape = shape;
    }

    /** The arguments as they are judged. */
    Map<String, Object> of(Map<String, Object> arguments) {
        @SuppressWarnings("unchecked") // a map stays a map
        Map<String, Object> adjusted = (Map<String, Object>) adjust(shape, arguments);
        return adjusted;
    }

    /** The paths of what was parsed, ordered. */
    List<String> decoded() {
        return decoded.stream().sorted(CodePoints.ORDER).toList();
    }

    private Object adjust(Shape place, Object sent) {
        Object value = sent instanceof String text && place.decodes() ? parsed(place, text) : sent;
        if (value instanceof Map<?, ?> object && !place.properties().isEmpty()) {
            return object(place, object);
        }
        if (value instanceof List<?> list && place.items() != null) {
            return list(place.items(), list);
        }
        return value;
    }

    private Map<?, ?> object(Shape place, Map<?, ?> object) {
        Map<Object, Object> adjusted = new LinkedHashMap<>(object);
        place.properties().forEach((name, property) -> {
            if (!object.containsKey(name)) {
                return;
            }
            steps.add(name);
            Object value = adjust(property, object.get(name));
            if (value == null && place.droppable().contains(name)) {
                adjusted.remove(name);
            } else {
                adjusted.put(name, value);
            }
            steps.remove(steps.size() - 1);
        });
        return adjusted;
    }

    private List<?> list(Shape item, List<?> list) {
        List<Object> adjusted = new ArrayList<>(list.size());
        for (int i = 0; i < list.size(); i++) {
            steps.add(i);
            adjusted.add(adjust(item, list.get(i)));
            steps.remove(steps.size() - 1);
        }
        return adjusted;
    }

    private Object parsed(Shape place, String text) {
        try {
            Object value = PlainJson.read(text, steps);
            if (value instanceof Map && place.types().contains("object")
                    || value instanceof List && place.types().contains("array")) {
                decoded.add(ArgumentPath.of(steps));
                return value;
            }
            return text;
        } catch (NotPlain notJson) {
            return text;
        }
    }
}
