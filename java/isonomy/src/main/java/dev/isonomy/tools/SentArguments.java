// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.contract.Settled;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Arguments on their way to a tool whose schema is judged in another process: here they become an object of plain
 * values, or are refused where they are none (clauses 7.1 and 7.2). Safe for use by several threads.
 */
public final class SentArguments {

    private final Shape shape;

    /** Arguments for a schema, which tells the types of places for messages about them. */
    public SentArguments(Map<String, Object> schema) {
        this.shape = Shape.of(new SchemaTree(schema));
    }

    /** Thrown where arguments are no object of plain values. */
    public static final class Refused extends Exception {

        private static final long serialVersionUID = 1L;

        private final transient Settled outcome;

        /** Refused, with how the call ends. */
        public Refused(Settled outcome) {
            super(null, null, false, false);
            this.outcome = outcome;
        }

        /** How the call ends. */
        public Settled outcome() {
            return outcome;
        }
    }

    /** The arguments as they came, as an object of plain values; it may be the caller's own, not to be changed. */
    public Map<String, Object> read(Object sent) throws Refused {
        List<Foreign> foreign = new ArrayList<>(0);
        Map<String, Object> plain;
        try {
            plain = Arguments.plain(sent, foreign);
        } catch (Arguments.Refused refused) {
            throw new Refused(refused.outcome());
        }
        if (!foreign.isEmpty()) {
            throw new Refused(Violation.settled(Arguments.foreign(shape, foreign, List.of())));
        }
        return plain;
    }
}
