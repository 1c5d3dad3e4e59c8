// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Portable forms for classes that have none of their own (clause 5.24). One registry for the whole process, safe for
 * use by several threads; it holds its classes as long as the process lives.
 *
 * <pre>{@code
 * Converters.register(Money.class, money -> Map.of("amount", money.amount()));
 * }</pre>
 */
public final class Converters {
    private static final Map<Class<?>, Function<Object, ?>> BY_CLASS = new ConcurrentHashMap<>();

    private Converters() {}

    /**
     * From now on instances of that class, and of its subclasses that have no converter of their own, are written as
     * what the function makes of them: any portable value. A function that throws makes the value {@link Opaque}.
     */
    public static <T> void register(Class<T> type, Function<? super T, ?> converter) {
        Misuse.required(converter, "the converter");
        BY_CLASS.put(Misuse.required(type, "the class of a converter"), value -> converter.apply(type.cast(value)));
    }

    /** Takes a registration back. */
    public static void unregister(Class<?> type) {
        BY_CLASS.remove(type);
    }

    /** The converter of the nearest class, then of any interface; null where there is none. */
    static Function<Object, ?> find(Class<?> type) {
        if (BY_CLASS.isEmpty()) {
            return null;
        }
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            Function<Object, ?> converter = BY_CLASS.get(at);
            if (converter != null) {
                return converter;
            }
        }
        for (Map.Entry<Class<?>, Function<Object, ?>> entry : BY_CLASS.entrySet()) {
            if (entry.getKey().isInterface() && entry.getKey().isAssignableFrom(type)) {
                return entry.getValue();
            }
        }
        return null;
    }
}
