// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.tools.PatternNode.Ahead;
import dev.isonomy.tools.PatternNode.Assertion;
import dev.isonomy.tools.PatternNode.Characters;
import dev.isonomy.tools.PatternNode.Choice;
import dev.isonomy.tools.PatternNode.Repeat;
import dev.isonomy.tools.PatternNode.Sequence;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes the states of a pattern from its end to its start, each with the one that follows it. What a lookahead holds
 * is a stratum of its own, complete before the stratum that asks for it.
 */
final class PatternStates {

    private static final int MAX_SIZE = 20_000;

    /**
     * One state: matches what follows a place if ...
     *
     * @param kind what has to hold for it
     * @param characters what {@code CHARACTER} reads before it goes on with {@code after}
     * @param other the other way of {@code EITHER}; the start of what {@code AHEAD} asks for; the places of {@code
     *     PLACE}, as {@link PortablePattern} writes them
     * @param negated whether {@code other} must not hold
     */
    record State(Kind kind, Characters characters, int other, boolean negated, int after) {}

    /** What a state asks for. */
    enum Kind {
        MATCH,
        CHARACTER,
        EITHER,
        PLACE,
        AHEAD
    }

    private final List<State> states = new ArrayList<>();
    private final List<List<Integer>> strata = new ArrayList<>();
    private List<Integer> current;
    private int size;

    /** The states by their numbers. */
    List<State> states() {
        return states;
    }

    /** The numbers of the states, those of a lookahead before those of what asks for it. */
    List<List<Integer>> strata() {
        return strata;
    }

    /** The state at which a part begins that ends by itself. */
    int stratum(PatternNode node) throws PatternFault {
        List<Integer> outer = current;
        current = new ArrayList<>();
        int start = build(node, add(new State(Kind.MATCH, null, 0, false, 0)));
        strata.add(current);
        current = outer;
        return start;
    }

    private int build(PatternNode node, int after) throws PatternFault {
        size++;
        if (size > MAX_SIZE) {
            throw new PatternFault("it is too large with its repetitions written out");
        }
        if (node instanceof Characters characters) {
            return add(new State(Kind.CHARACTER, characters, 0, false, after));
        }
        if (node instanceof Assertion assertion) {
            boolean negated = assertion.place() == 'B';
            return add(new State(Kind.PLACE, null, PortablePattern.place(assertion.place()), negated, after));
        }
        if (node instanceof Ahead ahead) {
            return add(new State(Kind.AHEAD, null, stratum(ahead.part()), ahead.negated(), after));
        }
        if (node instanceof Sequence sequence) {
            int start = after;
            for (int i = sequence.parts().size() - 1; i >= 0; i--) {
                start = build(sequence.parts().get(i), start);
            }
            return start;
        }
        return node instanceof Choice choice ? either(choice, after) : repeat((Repeat) node, after);
    }

    private int either(Choice choice, int after) throws PatternFault {
        int[] starts = new int[choice.options().size()];
        for (int i = 0; i < starts.length; i++) {
            starts[i] = build(choice.options().get(i), after);
        }
        int made = starts[starts.length - 1];
        for (int i = starts.length - 2; i >= 0; i--) {
            made = add(new State(Kind.EITHER, null, starts[i], false, made));
        }
        return made;
    }

    private int repeat(Repeat node, int after) throws PatternFault {
        int start = after;
        int least = node.least();
        if (node.most() < 0) {
            int loop = add(null);
            int body = build(node.part(), loop);
            states.set(loop, new State(Kind.EITHER, null, body, false, after));
            start = least == 0 ? loop : body;
            least = Math.max(0, least - 1);
        } else {
            for (int i = node.least(); i < node.most(); i++) {
                start = add(new State(Kind.EITHER, null, build(node.part(), start), false, after));
            }
        }
        for (int i = 0; i < least; i++) {
            start = build(node.part(), start);
        }
        return start;
    }

    private int add(State state) {
        states.add(state);
        current.add(states.size() - 1);
        return states.size() - 1;
    }
}
