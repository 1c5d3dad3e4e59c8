// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.contract.Misuse;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Finds the tool methods of a class, those of a proxy by what it was made of. */
final class MethodSearch {

    private static final Comparator<Method> ORDER =
            Comparator.comparing(Method::getName).thenComparing(Method::toString);

    private MethodSearch() {}

    /** The public methods marked {@link Tool}, by name: the order in which a JVM lists methods is not fixed. */
    static List<Method> marked(Class<?> type) {
        List<Method> marked = new ArrayList<>();
        for (Method method : type.getMethods()) {
            if (!method.isBridge()) {
                Method declared = declaration(method);
                if (declared != null && marked.stream().noneMatch(declared::equals)) {
                    marked.add(declared);
                }
            }
        }
        for (Method method : type.getDeclaredMethods()) {
            if (!Modifier.isPublic(method.getModifiers()) && method.isAnnotationPresent(Tool.class)) {
                throw new Misuse("the method " + type.getName() + "." + method.getName()
                        + " is marked @Tool and is not public; make it public");
            }
        }
        marked.sort(ORDER);
        return marked;
    }

    /** The one public method with a name. */
    static Method named(Class<?> type, String name) {
        List<Method> found = new ArrayList<>();
        for (Method method : type.getMethods()) {
            if (method.getName().equals(name) && !method.isBridge()) {
                found.add(method);
            }
        }
        if (found.isEmpty()) {
            throw new Misuse("the class " + type.getName() + " has no public method named " + name);
        }
        if (found.size() > 1) {
            found.removeIf(method -> declaration(method) == null);
        }
        if (found.size() != 1) {
            throw new Misuse("the class " + type.getName() + " has several public methods named " + name
                    + "; mark the one that is meant, and no other, with @Tool");
        }
        Method declared = declaration(found.get(0));
        return declared == null ? found.get(0) : declared;
    }

    /** The annotation of a method, or of what it overrides. */
    static Tool annotation(Method method) {
        Method declared = declaration(method);
        return declared == null ? null : declared.getAnnotation(Tool.class);
    }

    /** The method itself or the one that it overrides, whichever is marked, or null. */
    private static Method declaration(Method method) {
        if (method.isAnnotationPresent(Tool.class)) {
            return method;
        }
        return Modifier.isStatic(method.getModifiers()) ? null : overridden(method.getDeclaringClass(), method);
    }

    private static Method overridden(Class<?> type, Method method) {
        List<Class<?>> above = new ArrayList<>(List.of(type.getInterfaces()));
        if (type.getSuperclass() != null) {
            above.add(0, type.getSuperclass());
        }
        for (Class<?> one : above) {
            for (Method candidate : one.getDeclaredMethods()) {
                if (candidate.isAnnotationPresent(Tool.class)
                        && candidate.getName().equals(method.getName())
                        && List.of(candidate.getParameterTypes()).equals(List.of(method.getParameterTypes()))) {
                    return candidate;
                }
            }
            Method higher = overridden(one, method);
            if (higher != null) {
                return higher;
            }
        }
        return null;
    }
}
