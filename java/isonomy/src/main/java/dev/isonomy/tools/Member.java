// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.contract.Misuse;
import java.util.List;
import java.util.Map;

/** A named value that a model gives: a parameter of a method or a component of a record. */
final class Member {

    private final String name;
    private final Form form;
    private final boolean required;
    private final boolean hasDefault;
    private final Object defaultJson;
    private final String description;

    /**
     * @param place what a misuse is said of, such as {@code parameter n of Prices.find}
     * @param note the annotation, or null
     * @throws Misuse the declaration contradicts itself
     */
    Member(String place, String name, JavaType type, Form form, ToolParam note) {
        this.name = name;
        this.form = form;
        this.description = note == null ? "" : note.description();
        this.hasDefault = note != null && !note.defaultValue().equals(ToolParam.NONE);
        this.required = !hasDefault && (note == null || note.required()) && !(form instanceof OptionalForm);
        this.defaultJson = hasDefault ? readDefault(place, note.defaultValue()) : null;
        if (!required && !hasDefault && type.raw().isPrimitive()) {
            throw new Misuse(place + " may be absent, and a " + type + " cannot be null;"
                    + " give it a defaultValue or a type that can");
        }
    }

    String name() {
        return name;
    }

    boolean isRequired() {
        return required;
    }

    Map<String, Object> schema(Definitions definitions) {
        Map<String, Object> schema =
                form instanceof OptionalForm optional ? optional.inner().schema(definitions) : form.schema(definitions);
        if (!description.isEmpty()) {
            schema.put("description", description);
        }
        if (hasDefault) {
            schema.put("default", defaultJson);
        }
        return schema;
    }

    /** The member's value, from the valid object that holds it or not. */
    Object bind(Map<?, ?> object) throws Unreadable {
        Object value = object.get(name);
        if (value == null && !object.containsKey(name)) {
            return hasDefault ? form.bind(defaultJson) : form.absent();
        }
        try {
            return form.bind(value);
        } catch (Unreadable unreadable) {
            throw unreadable.within(name);
        }
    }

    private Object readDefault(String place, String written) {
        try {
            Object json = form.isText() ? written : PlainJson.read(written, List.of());
            JsonSchema schema = JsonSchema.of("the default of " + place, Definitions.whole(form));
            if (!schema.accepts(json)) {
                throw new Misuse(place + " has the default " + written + ", which its type does not accept");
            }
            form.bind(json);
            return json;
        } catch (NotPlain notJson) {
            throw new Misuse(place + " has the default " + written + ", which is not JSON");
        } catch (Unreadable unreadable) {
            throw new Misuse(place + " has the default " + written + ", which its type cannot read");
        }
    }
}
