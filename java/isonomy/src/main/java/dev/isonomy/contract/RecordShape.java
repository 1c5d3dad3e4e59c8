// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;

/** The names and accessors of a record class, found once per class. */
final class RecordShape {
    private static final MethodType READS_OBJECT = MethodType.methodType(Object.class, Object.class);

    private static final ClassValue<RecordShape> SHAPES = new ClassValue<>() {
        @Override
        protected RecordShape computeValue(Class<?> type) {
            return new RecordShape(type);
        }
    };

    private final String[] names;
    private final MethodHandle[] accessors;

    private RecordShape(Class<?> type) {
        RecordComponent[] components = type.getRecordComponents();
        names = new String[components.length];
        MethodHandle[] found = new MethodHandle[components.length];
        try {
            for (int i = 0; i < components.length; i++) {
                names[i] = components[i].getName();
                Method accessor = components[i].getAccessor();
                accessor.setAccessible(true);
                found[i] = MethodHandles.lookup().unreflect(accessor).asType(READS_OBJECT);
            }
        } catch (IllegalAccessException | InaccessibleObjectException closed) {
            found = null; // its module is closed to us: the record has no portable form
        }
        accessors = found;
    }

    static RecordShape of(Class<?> type) {
        return SHAPES.get(type);
    }

    String[] names() {
        return names;
    }

    /** The values of the components in order; null where they cannot be read or an accessor throws. */
    Object[] values(Object record) {
        if (accessors == null) {
            return null;
        }
        Object[] values = new Object[accessors.length];
        try {
            for (int i = 0; i < values.length; i++) {
                values[i] = accessors[i].invokeExact(record);
            }
        } catch (Throwable broken) { // an accessor is code of the tool: it may throw anything (clause 5.26)
            return null;
        }
        return values;
    }
}
