// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.contract.Misuse;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Finds the form of a Java type. Not for use by several threads; made for one tool. */
final class Forms {

    private final Map<JavaType, RecordForm> records = new HashMap<>();

    /**
     * The form of a type.
     *
     * @param place what a misuse is said of
     * @throws Misuse the type has no JSON form
     */
    Form of(String place, JavaType type) {
        Class<?> raw = type.raw();
        Form scalar = ScalarForm.of(raw);
        if (scalar != null) {
            return scalar;
        }
        if (raw == Object.class) {
            return new AnyForm();
        }
        if (raw.isEnum()) {
            return new EnumForm(raw);
        }
        if (raw.isRecord()) {
            return record(type);
        }
        if (raw.isArray()) {
            return CollectionForm.array(raw.getComponentType(), of(place, type.argument(0)));
        }
        if (OptionalForm.covers(raw)) {
            JavaType inner = type.arguments().isEmpty() && raw != Optional.class
                    ? JavaType.of(OptionalForm.primitive(raw))
                    : type.argument(0);
            return new OptionalForm(raw, of(place, inner));
        }
        if (CollectionForm.covers(raw)) {
            return collection(place, type);
        }
        if (MapForm.covers(raw)) {
            return map(place, type);
        }
        throw new Misuse(place + " has the type " + type + ", which has no JSON form;"
                + " use a record, a collection or a plain value, mark it @Injected, or give the tool a schema of its own;"
                + " a method that is not yours can be called from one that is");
    }

    /** The form of a type, or nothing where it has none. */
    Optional<Form> find(JavaType type) {
        try {
            return Optional.of(of("it", type));
        } catch (Misuse noForm) {
            return Optional.empty();
        }
    }

    private Form record(JavaType type) {
        RecordForm known = records.get(type);
        if (known != null) {
            return known;
        }
        RecordForm form = new RecordForm(type);
        records.put(type, form);
        form.readComponents(this);
        return form;
    }

    private Form collection(String place, JavaType type) {
        JavaType item = type.argument(0);
        if (CollectionForm.isSorted(type.raw()) && !Comparable.class.isAssignableFrom(item.raw())) {
            throw new Misuse(place + " sorts items of type " + item + ", which is not Comparable; use a Set or a List");
        }
        return CollectionForm.of(type.raw(), of(place, item));
    }

    private Form map(String place, JavaType type) {
        JavaType key = type.argument(0);
        Form keys = of(place, key.raw() == Object.class ? JavaType.of(String.class) : key);
        if (key.raw() != Object.class && !MapForm.isKey(key.raw(), keys)) {
            throw new Misuse(place + " has keys of type " + key + ", which no JSON object has;"
                    + " use String, an enum, an integer or a type with a text form");
        }
        return new MapForm(type.raw(), keys, of(place, type.argument(1)));
    }
}
