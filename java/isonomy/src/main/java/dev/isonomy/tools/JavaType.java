// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.lang.reflect.Array;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A type with its type arguments known: variables are replaced, wildcards are their bounds.
 *
 * @param raw the class
 * @param arguments the type arguments, of an array its component; empty for a raw type
 */
record JavaType(Class<?> raw, List<JavaType> arguments) {

    private static final JavaType OBJECT = new JavaType(Object.class, List.of());

    /** The type of a parameter, seen from where no type variable is known. */
    static JavaType of(Type type) {
        return of(type, Map.of());
    }

    /** The type of a parameter, seen from a class that may say what the type variables of its superclasses are. */
    static JavaType of(Type type, Class<?> seenFrom) {
        Map<TypeVariable<?>, JavaType> known = new HashMap<>();
        learn(seenFrom, known);
        return of(type, known);
    }

    private static void learn(Class<?> type, Map<TypeVariable<?>, JavaType> known) {
        List<Type> above = new ArrayList<>(List.of(type.getGenericInterfaces()));
        if (type.getGenericSuperclass() != null) {
            above.add(type.getGenericSuperclass());
        }
        for (Type one : above) {
            JavaType higher = of(one, known);
            TypeVariable<?>[] variables = higher.raw.getTypeParameters();
            for (int i = 0; i < variables.length && i < higher.arguments.size(); i++) {
                known.put(variables[i], higher.arguments.get(i));
            }
            learn(higher.raw, known);
        }
    }

    /** A type that a member of this one declares, with this one's type arguments filled in. */
    JavaType member(Type type) {
        Map<TypeVariable<?>, JavaType> known = new HashMap<>();
        TypeVariable<?>[] variables = raw.getTypeParameters();
        for (int i = 0; i < variables.length && i < arguments.size(); i++) {
            known.put(variables[i], arguments.get(i));
        }
        return of(type, known);
    }

    /** The type argument at {@code index}, {@code Object} where the type is raw. */
    JavaType argument(int index) {
        return index < arguments.size() ? arguments.get(index) : OBJECT;
    }

    private static JavaType of(Type type, Map<TypeVariable<?>, JavaType> known) {
        if (type instanceof Class<?> one) {
            return one.isArray()
                    ? new JavaType(one, List.of(of(one.getComponentType(), known)))
                    : new JavaType(one, List.of());
        }
        if (type instanceof ParameterizedType one) {
            List<JavaType> arguments = new ArrayList<>();
            for (Type argument : one.getActualTypeArguments()) {
                arguments.add(of(argument, known));
            }
            return new JavaType((Class<?>) one.getRawType(), List.copyOf(arguments));
        }
        if (type instanceof GenericArrayType one) {
            JavaType component = of(one.getGenericComponentType(), known);
            return new JavaType(
                    Array.newInstance(component.raw, 0).getClass(), List.of(component));
        }
        if (type instanceof WildcardType one) {
            return of(one.getUpperBounds()[0], known);
        }
        TypeVariable<?> variable = (TypeVariable<?>) type;
        JavaType value = known.get(variable);
        if (value != null) {
            return value;
        }
        // A variable nobody bound stands for its first bound; one bound by itself ends here.
        Type bound = variable.getBounds()[0];
        return bound instanceof Class<?> one ? new JavaType(one, List.of()) : OBJECT;
    }

    @Override
    public String toString() {
        return raw.getTypeName()
                + (arguments.isEmpty() || raw.isArray() ? "" : "<" + join(arguments) + ">");
    }

    private static String join(List<JavaType> types) {
        return String.join(", ", types.stream().map(JavaType::toString).toList());
    }
}
