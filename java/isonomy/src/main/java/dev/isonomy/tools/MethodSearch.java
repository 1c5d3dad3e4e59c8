// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.contract.Misuse;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

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

    /**
     * The one public method that is meant.
     *
     * @throws Misuse there is none, or there are several
     */
    static Method named(Class<?> type, MethodSignature wanted) {
        List<Method> overloads = overloads(type, wanted.name());
        if (overloads.isEmpty()) {
            throw new Misuse("the class " + type.getName() + " has no public method named " + wanted.name()
                    + (isDeclared(type, wanted.name()) ? "; the one it has is not public" : meant(type, wanted.name())));
        }
        List<Method> found = new ArrayList<>(overloads);
        found.removeIf(method -> !wanted.fits(method));
        if (found.size() > 1 && wanted.types() == null) {
            found.removeIf(method -> declaration(method) == null);
        }
        if (found.size() != 1) {
            throw new Misuse(notOne(type, wanted, overloads));
        }
        Method declared = declaration(found.get(0));
        return declared == null ? found.get(0) : declared;
    }

    /** A method of a class as it is to be written down. */
    static String example(Class<?> type) {
        return Stream.of(type.getMethods())
                .filter(method -> Modifier.isStatic(method.getModifiers()))
                .min(ORDER)
                .map(method -> type.getName() + "#" + MethodSignature.of(method))
                .orElse(type.getName() + "#METHOD(TYPE,TYPE)");
    }

    private static String notOne(Class<?> type, MethodSignature wanted, List<Method> overloads) {
        String listed = String.join(
                ", ", overloads.stream().map(MethodSignature::of).toList());
        if (wanted.types() == null) {
            return "the class " + type.getName() + " has several public methods named " + wanted.name() + ": " + listed
                    + "; name one with its types, as " + type.getName() + "#" + MethodSignature.of(overloads.get(0))
                    + ", or mark one alone with @Tool";
        }
        return "the class " + type.getName() + " has not exactly one public method "
                + wanted.name() + "(" + String.join(",", wanted.types()) + "); there are: " + listed
                + "; write types of one name in full, and generic ones without their arguments";
    }

    private static String meant(Class<?> type, String name) {
        String close = MeantName.among(
                Stream.of(type.getMethods()).map(Method::getName).sorted().toList(), name);
        return close == null ? "" : "; did you mean \"" + close + "\"?";
    }

    private static boolean isDeclared(Class<?> type, String name) {
        for (Class<?> one = type; one != null; one = one.getSuperclass()) {
            for (Method method : one.getDeclaredMethods()) {
                if (method.getName().equals(name)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** The public methods with a name, in an order that is fixed; of those with the same types the one that counts. */
    private static List<Method> overloads(Class<?> type, String name) {
        Map<List<Class<?>>, Method> byTypes = new HashMap<>();
        for (Method method : type.getMethods()) {
            if (method.getName().equals(name) && (!method.isBridge() || isDoor(method))) {
                byTypes.merge(List.of(method.getParameterTypes()), method, MethodSearch::narrower);
            }
        }
        List<Method> overloads = new ArrayList<>(byTypes.values());
        overloads.sort(ORDER);
        return overloads;
    }

    private static Method narrower(Method one, Method other) {
        return one.getReturnType().isAssignableFrom(other.getReturnType()) ? other : one;
    }

    /** Whether a compiler made it so that a method of a superclass that is not public can be called. */
    private static boolean isDoor(Method bridge) {
        for (Class<?> above = bridge.getDeclaringClass().getSuperclass(); above != null; above = above.getSuperclass()) {
            for (Method method : above.getDeclaredMethods()) {
                if (method.getName().equals(bridge.getName())
                        && !method.isBridge()
                        && !Modifier.isAbstract(method.getModifiers())
                        && !Modifier.isPublic(above.getModifiers())
                        && List.of(method.getParameterTypes()).equals(List.of(bridge.getParameterTypes()))) {
                    return true;
                }
            }
        }
        return false;
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
