// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.vectors;

import dev.isonomy.contract.ToolFailed;
import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionException;

/** Makes the exceptions of vectors. */
public final class Throwing {
    private Throwing() {}

    /** The exception that a vector describes, its causes and wrappers included. */
    public static Throwable exception(Fields raise) {
        List<Fields> links = new ArrayList<>(List.of(raise));
        if (raise.has("causes")) {
            links.addAll(raise.objects("causes"));
        }
        List<Throwable> chain = new ArrayList<>();
        Throwable cause = null;
        for (int i = links.size() - 1; i >= 0; i--) {
            cause = made(links.get(i), cause);
            chain.add(0, cause);
        }
        if (raise.has("loop")) {
            chain.get(chain.size() - 1).initCause(chain.get(raise.integer("loop")));
        }
        return wrapped(chain.get(0), raise);
    }

    private static Throwable made(Fields link, Throwable cause) {
        if (link.has("failed_with")) {
            Throwable failed = new ToolFailed(Behaviours.failureOf(link.json("failed_with")));
            return cause == null ? failed : failed.initCause(cause);
        }
        String type = (String) link.forJava("type");
        String message = (String) Making.value(link.json("message"));
        if (type.equals(CompletionException.class.getName())) {
            return new CompletionException(message, cause); // it has no public constructor with a message alone
        }
        Throwable made = construct(type, message);
        return cause == null ? made : made.initCause(cause);
    }

    /** The exception inside the wrappers that a vector names, outermost first. */
    static Throwable wrapped(Throwable exception, Fields raise) {
        List<Object> wrappers = new ArrayList<>((List<?>) raise.json("wrapped_in", List.of()));
        Collections.reverse(wrappers);
        Throwable wrapped = exception;
        for (Object wrapper : wrappers) {
            wrapped = construct((String) wrapper, wrapped);
        }
        return wrapped;
    }

    private static Throwable construct(String type, Object argument) {
        Class<?> of = argument instanceof Throwable ? Throwable.class : String.class;
        try {
            for (Class<?> parameter : List.of(of, Object.class)) { // AssertionError takes any object
                for (Constructor<?> constructor : Fixtures.named(type).getConstructors()) {
                    if (List.of(constructor.getParameterTypes()).equals(List.of(parameter))) {
                        return (Throwable) constructor.newInstance(argument);
                    }
                }
            }
        } catch (ReflectiveOperationException broken) {
            throw new AssertionError("cannot make a " + type, broken);
        }
        throw new AssertionError(type + " has no constructor that this loader knows");
    }
}
