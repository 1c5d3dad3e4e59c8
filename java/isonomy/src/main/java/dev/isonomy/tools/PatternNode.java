// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.util.List;

/** A part of a regular expression that every language reads the same way (clause 7.15). */
sealed interface PatternNode {

    /** One character, of ranges of code points or of Unicode general categories; negated, all the others. */
    record Characters(List<Range> ranges, List<Category> categories, boolean negated) implements PatternNode {

        static Characters one(int point) {
            return new Characters(List.of(new Range(point, point)), List.of(), false);
        }

        /** Whether it is this code point. */
        boolean hold(int point) {
            for (Range range : ranges) {
                if (range.first <= point && point <= range.last) {
                    return !negated;
                }
            }
            for (Category category : categories) {
                if (category.holds(point)) {
                    return !negated;
                }
            }
            return negated;
        }
    }

    /** A first and a last code point. */
    record Range(int first, int last) {}

    /** A general category in short form, such as {@code L} or {@code Lu}; negated, what is of another. */
    record Category(String name, boolean negated) {

        /** The short names by the numbers that {@code Character.getType} gives; 17 is none. */
        private static final String[] NAMES = {
            "Cn", "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Me", "Mc", "Nd", "Nl", "No", "Zs", "Zl", "Zp", "Cc", "Cf", "",
            "Co", "Cs", "Pd", "Ps", "Pe", "Pc", "Po", "Sm", "Sc", "Sk", "So", "Pi", "Pf"
        };

        boolean holds(int point) {
            return NAMES[Character.getType(point)].startsWith(name) != negated;
        }
    }

    /** One part after the other; of no part, the empty text. */
    record Sequence(List<PatternNode> parts) implements PatternNode {}

    /** One of several. */
    record Choice(List<PatternNode> options) implements PatternNode {}

    /** A part several times; {@code most} is negative for any number. */
    record Repeat(PatternNode part, int least, int most) implements PatternNode {}

    /** A place: {@code ^}, {@code $}, {@code b} for a word's edge, or {@code B} for none. */
    record Assertion(char place) implements PatternNode {}

    /** What follows has to fit a part, or must not. */
    record Ahead(PatternNode part, boolean negated) implements PatternNode {}
}
