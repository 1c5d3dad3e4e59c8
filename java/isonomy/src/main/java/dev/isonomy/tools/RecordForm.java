// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.Returned;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A record: an object with its components, and nothing else (clause 7.3). */
final class RecordForm implements Form {

    private final JavaType type;
    private final MethodHandle constructor;
    private Member[] members = {};

    RecordForm(JavaType type) {
        this.type = type;
        this.constructor = constructor(type.raw());
    }

    /** Reads the components; apart from the constructor, since a component may hold this very record. */
    void readComponents(Forms forms) {
        List<Member> read = new ArrayList<>();
        for (RecordComponent component : type.raw().getRecordComponents()) {
            String place = "component " + component.getName() + " of " + type;
            ToolParam note = component.getAnnotation(ToolParam.class);
            String name = note == null || note.name().isEmpty() ? component.getName() : note.name();
            if (read.stream().anyMatch(member -> member.name().equals(name))) {
                throw new Misuse(place + " has the name of another component; give one of them a name of its own");
            }
            JavaType declared = type.member(component.getGenericType());
            read.add(new Member(place, name, declared, forms.of(place, declared), note));
        }
        members = read.toArray(Member[]::new);
    }

    @Override
    public Map<String, Object> schema(Definitions definitions) {
        return definitions.write(type, type.raw().getSimpleName(), () -> object(Arrays.asList(members), definitions));
    }

    /** The schema of an object with these members. */
    static Map<String, Object> object(List<Member> members, Definitions definitions) {
        Map<String, Object> properties = new LinkedHashMap<>();
        List<Object> required = new ArrayList<>();
        for (Member member : members) {
            properties.put(member.name(), member.schema(definitions));
            if (member.isRequired()) {
                required.add(member.name());
            }
        }
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("type", "object");
        schema.put("properties", properties);
        if (!required.isEmpty()) {
            schema.put("required", required);
        }
        schema.put("additionalProperties", false);
        return schema;
    }

    @Override
    public Object bind(Object value) throws Unreadable {
        Map<?, ?> object = (Map<?, ?>) value;
        Object[] components = new Object[members.length];
        Unreadable unreadable = null;
        for (int i = 0; i < members.length; i++) {
            try {
                components[i] = members[i].bind(object);
            } catch (Unreadable one) {
                unreadable = one.after(unreadable);
            }
        }
        if (unreadable != null) {
            throw unreadable;
        }
        // A record that refuses its components says that the object is none of it.
        if (Boundary.call(constructor, components, Boundary.NOTHING_PASSES) instanceof Returned made) {
            return made.value();
        }
        throw new Unreadable(type.raw().getSimpleName());
    }

    private static MethodHandle constructor(Class<?> type) {
        try {
            Class<?>[] components = Arrays.stream(type.getRecordComponents())
                    .map(RecordComponent::getType)
                    .toArray(Class<?>[]::new);
            Constructor<?> canonical = type.getDeclaredConstructor(components);
            canonical.setAccessible(true);
            return MethodHandles.lookup()
                    .unreflectConstructor(canonical)
                    .asFixedArity()
                    .asSpreader(Object[].class, components.length)
                    .asType(MethodType.methodType(Object.class, Object[].class));
        } catch (ReflectiveOperationException | RuntimeException closed) {
            throw new Misuse("the record " + type.getName() + " cannot be made from here: " + closed.getMessage()
                    + "; open its package to dev.isonomy, or make it public");
        }
    }
}
