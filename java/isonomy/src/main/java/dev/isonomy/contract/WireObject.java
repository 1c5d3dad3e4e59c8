// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An object of plain JSON that is read field by field; what is missing or of another type is refused. */
final class WireObject {
    private final Map<String, Object> fields;
    private final String what;
    private final List<String> read = new ArrayList<>(8);

    private WireObject(Map<String, Object> fields, String what) {
        this.fields = fields;
        this.what = what;
    }

    /** An object, described for messages as {@code what}. */
    @SuppressWarnings("unchecked") // the keys of plain JSON are strings
    static WireObject of(Object plain, String what) {
        if (!(plain instanceof Map)) {
            throw PortableException.malformed(what + " is not an object");
        }
        return new WireObject((Map<String, Object>) plain, what);
    }

    boolean has(String name) {
        return fields.containsKey(name);
    }

    /** A required field of any type; null is a value. */
    Object value(String name) {
        if (!has(name)) {
            throw PortableException.malformed(what + " has no " + name);
        }
        read.add(name);
        return fields.get(name);
    }

    /** A required field as the portable value it stands for. */
    Object portable(String name) {
        return Tags.decode(value(name));
    }

    String text(String name) {
        return as(String.class, name, "a text");
    }

    /** A text, null where the field is absent or null. */
    String optionalText(String name) {
        return isSet(name) ? text(name) : null;
    }

    /** An integer from 0. */
    long count(String name) {
        long value = as(Long.class, name, "an integer");
        if (value < 0) {
            throw PortableException.malformed(name + " of " + what + " is below 0");
        }
        return value;
    }

    double number(String name) {
        double number = as(Number.class, name, "a number").doubleValue();
        if (!Double.isFinite(number)) {
            throw PortableException.malformed(name + " of " + what + " is beyond the range of numbers");
        }
        return number;
    }

    boolean bool(String name) {
        return as(Boolean.class, name, "true or false");
    }

    Boolean optionalBool(String name) {
        return isSet(name) ? (Boolean) bool(name) : null;
    }

    WireObject object(String name) {
        return of(value(name), name + " of " + what);
    }

    List<?> list(String name) {
        return as(List.class, name, "a list");
    }

    /** A list, empty where the field is absent or null. */
    List<?> optionalList(String name) {
        return isSet(name) ? list(name) : List.of();
    }

    /** Whether the field is there and not null. */
    boolean isSet(String name) {
        read.add(name);
        return fields.get(name) != null;
    }

    private <T> T as(Class<T> type, String name, String typeName) {
        Object value = value(name);
        if (!type.isInstance(value)) {
            throw PortableException.malformed(name + " of " + what + " is not " + typeName);
        }
        return type.cast(value);
    }

    /** All fields, each as the portable value it stands for. */
    Map<String, Object> portableMembers() {
        Map<String, Object> members = new LinkedHashMap<>();
        fields.forEach((name, value) -> members.put(name, Tags.decode(value)));
        return members;
    }

    /** The fields that were not read, as plain JSON. */
    Map<String, Object> others() {
        Map<String, Object> others = new LinkedHashMap<>(fields);
        others.keySet().removeAll(read);
        return others;
    }

    /** Refuses a field that was not read. */
    void refuseOthers() {
        for (String name : fields.keySet()) {
            if (!read.contains(name)) {
                throw PortableException.malformed(what + " has an unknown field or one that does not go with the others");
            }
        }
    }
}
