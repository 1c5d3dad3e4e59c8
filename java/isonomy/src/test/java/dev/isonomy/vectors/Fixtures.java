// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.vectors;

import dev.isonomy.contract.Converters;
import java.util.Map;

/** The classes that vectors speak of by name. */
public final class Fixtures {
    private static final Map<String, Class<?>> BY_NAME = Map.of(
            "fixture:Unprintable", Unprintable.class,
            "fixture:Nested", Outer.Nested.class,
            "fixture:Plain", Plain.class,
            "fixture:Broken", Broken.class);

    static {
        Converters.register(Broken.class, broken -> {
            throw new IllegalStateException("this converter always fails");
        });
        Converters.register(Money.class, money -> Map.of("amount", money.amount));
    }

    private Fixtures() {}

    /** The class of a name such as {@code fixture:Plain} or {@code java.lang.Error}. */
    static Class<?> named(String name) {
        Class<?> fixture = BY_NAME.get(name);
        if (fixture != null) {
            return fixture;
        }
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException unknown) {
            throw new AssertionError("a vector names an unknown class " + name, unknown);
        }
    }

    /** The text with the names of classes in the place of their fixtures. */
    public static String resolved(String text) {
        String resolved = text;
        for (Map.Entry<String, Class<?>> fixture : BY_NAME.entrySet()) {
            resolved = resolved.replace(fixture.getKey(), fixture.getValue().getName());
        }
        return resolved;
    }

    /** An exception whose text cannot be had. */
    public static final class Unprintable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public Unprintable(String message) {
            super(message);
        }

        @Override
        public String getMessage() {
            throw new IllegalStateException("there is no text");
        }

        @Override
        public String toString() {
            throw new IllegalStateException("there is no text");
        }
    }

    /** A class with an exception in it. */
    public static final class Outer {
        private Outer() {}

        public static final class Nested extends RuntimeException {
            private static final long serialVersionUID = 1L;

            public Nested(String message) {
                super(message);
            }
        }
    }

    /** A class without a portable form. */
    public static final class Plain {}

    /** A class whose converter throws. */
    public static final class Broken {}

    /** A class with a converter. */
    public static final class Money {
        private final int amount;

        public Money(int amount) {
            this.amount = amount;
        }
    }

    public enum Color {
        RED
    }

    public enum Level {
        LOW
    }

    public enum Letter {
        A
    }

    public record Point(int x, int y) {}

    public record Named(String name, java.util.List<?> tags) {}
}
