// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.tools.PatternNode.Characters;
import dev.isonomy.tools.PatternStates.Kind;
import dev.isonomy.tools.PatternStates.State;
import java.util.ArrayList;
import java.util.List;

/**
 * Whether a text holds a match of a pattern, in time that its length bounds (clause 7.15). From the end of the text to
 * its start, the states that match what follows are found from those of one character later: no way is tried twice, so
 * no pattern runs away, and what lies ahead is known where a lookahead asks for it. Safe for use by several threads.
 */
final class PortablePattern {

    private static final long MAX_WORK = 100_000_000;

    private static final int AT_BEGIN = 1;
    private static final int AT_END = 2;
    private static final int AT_EDGE = 4;

    private final String pattern;
    private final int start;
    private final State[] states;
    private final int[][] strata;
    private final List<Characters> sets = new ArrayList<>();
    private final int[] setOf;

    /** @throws PatternFault it is not portable, or too large */
    PortablePattern(String pattern) throws PatternFault {
        this.pattern = pattern;
        PatternStates made = new PatternStates();
        this.start = made.stratum(PatternParser.parse(pattern));
        this.states = made.states().toArray(State[]::new);
        this.strata = made.strata().stream()
                .map(each -> each.stream().mapToInt(Integer::intValue).toArray())
                .toArray(int[][]::new);
        this.setOf = new int[states.length];
        for (int at = 0; at < states.length; at++) {
            Characters read = states[at].characters();
            setOf[at] = sets.indexOf(read);
            if (read != null && setOf[at] < 0) {
                setOf[at] = sets.size();
                sets.add(read);
            }
        }
    }

    /** The place that an assertion asks for. */
    static int place(char assertion) {
        return assertion == '^' ? AT_BEGIN : assertion == '$' ? AT_END : AT_EDGE;
    }

    /**
     * Whether some part of a text matches.
     *
     * @throws TooMuchWork the text is too long for this pattern
     */
    boolean foundIn(String text) {
        long places = text.codePointCount(0, text.length()) + 1L;
        if (states.length * places > MAX_WORK) {
            throw new TooMuchWork("the pattern " + pattern + " cannot be judged on so long a text");
        }
        boolean[] column = new boolean[states.length];
        boolean[] later = new boolean[states.length];
        boolean[] reads = new boolean[sets.size()];
        boolean wasWord = false;
        int at = text.length();
        while (true) {
            int before = at > 0 ? text.codePointBefore(at) : -1;
            boolean isWord = isWord(before);
            int place = (at == 0 ? AT_BEGIN : 0) | (at == text.length() ? AT_END : 0) | (isWord != wasWord ? AT_EDGE : 0);
            fill(column, later, reads, place);
            if (column[start]) {
                return true;
            }
            if (at == 0) {
                return false;
            }
            for (int i = 0; i < reads.length; i++) {
                reads[i] = sets.get(i).hold(before);
            }
            boolean[] filled = column;
            column = later;
            later = filled;
            wasWord = isWord;
            at -= Character.charCount(before);
        }
    }

    private void fill(boolean[] column, boolean[] later, boolean[] reads, int place) {
        for (int at = 0; at < states.length; at++) {
            Kind kind = states[at].kind();
            column[at] = kind == Kind.MATCH
                    || kind == Kind.CHARACTER && later[states[at].after()] && reads[setOf[at]];
        }
        for (int[] stratum : strata) {
            boolean grows = true;
            while (grows) {
                grows = false;
                for (int at : stratum) {
                    if (!column[at] && holds(states[at], column, place)) {
                        column[at] = true;
                        grows = true;
                    }
                }
            }
        }
    }

    private static boolean holds(State state, boolean[] column, int place) {
        return switch (state.kind()) {
            case EITHER -> column[state.other()] || column[state.after()];
            case PLACE -> column[state.after()] && ((place & state.other()) != 0) != state.negated();
            case AHEAD -> column[state.after()] && column[state.other()] != state.negated();
            default -> false;
        };
    }

    private static boolean isWord(int point) {
        return point >= 'a' && point <= 'z' || point >= 'A' && point <= 'Z' || point >= '0' && point <= '9' || point == '_';
    }
}
