// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.contract.Capture;
import dev.isonomy.contract.Effect;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Mapping;
import dev.isonomy.contract.Outcome;
import dev.isonomy.contract.Settled;
import java.lang.invoke.MethodHandle;
import java.util.Map;
import java.util.function.Predicate;

/** The tool boundary: where what a body throws becomes an outcome (clauses 3.4 and 8.11). */
public final class Boundary {

    /** Every end of a body is an outcome. */
    public static final Predicate<Throwable> NOTHING_PASSES = thrown -> false;

    private Boundary() {}

    /** The body of a tool, or any code whose every end is an outcome. */
    @FunctionalInterface
    public interface Body {
        /** Runs and returns, or throws anything. */
        Object run() throws Throwable;
    }

    /**
     * Runs a body and returns how that ended.
     *
     * @param passing what is no outcome
     * @throws NoOutcome the body threw what passes
     */
    public static Outcome run(Body body, Predicate<Throwable> passing) {
        try {
            return Mapping.returned(body.run());
        } catch (Throwable thrown) { // a body may throw anything, and an Error is its failure too (clause 8.11)
            return caught(thrown, passing);
        }
    }

    /**
     * Reads the arguments of a call. What breaks in doing so is a fault of ours and not the body's, which has not begun
     * (clauses 3.12 and 7.16).
     *
     * @throws Arguments.Refused they are not valid, or could not be judged
     */
    static Map<String, Object> read(Arguments arguments, Invocation invocation) throws Arguments.Refused {
        try {
            return arguments.read(invocation);
        } catch (Arguments.Refused refused) {
            throw refused;
        } catch (Throwable broken) { // whatever breaks, the stack included, the body has not begun
            throw new Arguments.Refused(
                    "the arguments could not be judged: " + broken.getClass().getName());
        }
    }

    /** Calls a method with its arguments, as {@link #run}; without a lambda, whose frame every trace would carry. */
    static Outcome call(MethodHandle method, Object[] arguments, Predicate<Throwable> passing) {
        try {
            Object value = method.invokeExact(arguments);
            return Mapping.returned(value);
        } catch (Throwable thrown) { // as above
            return caught(thrown, passing);
        }
    }

    /**
     * Invokes a tool of anybody's make. One that throws, which {@link BoundTool#invoke} forbids, is a fault of the
     * runtime that it is part of (clause 3.12).
     *
     * @throws NoOutcome the body threw what passes
     */
    public static Outcome invoke(BoundTool tool, Invocation invocation) {
        try {
            return tool.invoke(invocation);
        } catch (NoOutcome signal) {
            throw signal;
        } catch (Throwable broken) { // the boundary of a tool that has none of its own
            return Settled.of(
                    ErrorKind.INTERNAL, "the tool's runtime failed: " + Capture.errorInfo(broken).type(), Effect.POSSIBLE);
        }
    }

    /**
     * The outcome of a body, or of a stage that it returned, that ended with {@code thrown}.
     *
     * @throws NoOutcome it is what passes
     */
    public static Outcome caught(Throwable thrown, Predicate<Throwable> passing) {
        Throwable bare = Capture.unwrapped(thrown);
        if (passing.test(bare)) {
            throw new NoOutcome(bare);
        }
        return Mapping.thrown(bare);
    }
}
