// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.tools.PatternNode.Ahead;
import dev.isonomy.tools.PatternNode.Assertion;
import dev.isonomy.tools.PatternNode.Category;
import dev.isonomy.tools.PatternNode.Characters;
import dev.isonomy.tools.PatternNode.Choice;
import dev.isonomy.tools.PatternNode.Range;
import dev.isonomy.tools.PatternNode.Repeat;
import dev.isonomy.tools.PatternNode.Sequence;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads regular expressions of the portable kind (clause 7.15). */
final class PatternParser {

    private static final int MAX_REPEAT = 10_000;
    private static final int MAX_NESTING = 100;

    private static final Pattern COUNT = Pattern.compile("\\{([0-9]{1,9})(?:(,)([0-9]{0,9}))?\\}");
    private static final Pattern NAME = Pattern.compile("\\(\\?<[A-Za-z_$][A-Za-z0-9_$]*>");

    private final String text;
    private int at;
    private int nesting;

    private PatternParser(String text) {
        this.text = text;
    }

    /**
     * The parts of a pattern.
     *
     * @throws PatternFault it is no regular expression, or not a portable one
     */
    static PatternNode parse(String pattern) throws PatternFault {
        PatternParser parser = new PatternParser(pattern);
        PatternNode node = parser.choice();
        if (parser.at < pattern.length()) {
            throw fault("a ) that closes nothing");
        }
        return node;
    }

    static PatternFault fault(String reason) {
        return new PatternFault("it has " + reason);
    }

    private PatternNode choice() throws PatternFault {
        nesting++;
        if (nesting > MAX_NESTING) {
            throw fault("groups nested too deep");
        }
        List<PatternNode> options = new ArrayList<>(1);
        options.add(sequence());
        while (take("|")) {
            options.add(sequence());
        }
        nesting--;
        return options.size() == 1 ? options.get(0) : new Choice(options);
    }

    private PatternNode sequence() throws PatternFault {
        List<PatternNode> parts = new ArrayList<>();
        while (at < text.length() && text.charAt(at) != '|' && text.charAt(at) != ')') {
            parts.add(repeated(part()));
        }
        return parts.size() == 1 ? parts.get(0) : new Sequence(parts);
    }

    private PatternNode part() throws PatternFault {
        int point = next();
        return switch (point) {
            case '(' -> group();
            case '[' -> set();
            case '\\' -> escape();
            case '.' -> PatternEscapes.ANY;
            case '^', '$' -> new Assertion((char) point);
            case '*', '+', '?', '{' -> throw fault("a " + (char) point + " that repeats nothing");
            default -> Characters.one(point);
        };
    }

    private PatternNode repeated(PatternNode part) throws PatternFault {
        int[] count = count();
        if (count == null) {
            return part;
        }
        if (part instanceof Assertion || part instanceof Ahead) {
            throw fault("a repeated assertion");
        }
        if (Math.max(count[0], count[1]) > MAX_REPEAT) {
            throw fault("a repetition of more than " + MAX_REPEAT + " times");
        }
        if (count[1] >= 0 && count[1] < count[0]) {
            throw fault("a repetition whose numbers are out of order");
        }
        take("?");
        return new Repeat(part, count[0], count[1]);
    }

    /** The least and most times, -1 for any number; null where nothing is repeated. */
    private int[] count() {
        if (take("*")) {
            return new int[] {0, -1};
        }
        if (take("+")) {
            return new int[] {1, -1};
        }
        if (take("?")) {
            return new int[] {0, 1};
        }
        Matcher found = COUNT.matcher(text).region(at, text.length());
        if (!found.lookingAt()) {
            return null;
        }
        at = found.end();
        int least = Integer.parseInt(found.group(1));
        if (found.group(2) == null) {
            return new int[] {least, least};
        }
        return new int[] {least, found.group(3).isEmpty() ? -1 : Integer.parseInt(found.group(3))};
    }

    private PatternNode group() throws PatternFault {
        boolean ahead = take("?=");
        boolean negated = !ahead && take("?!");
        if (!ahead && !negated && !take("?:")) {
            Matcher named = NAME.matcher(text).region(at - 1, text.length());
            if (named.lookingAt()) {
                at = named.end();
            } else if (text.startsWith("?", at)) {
                throw fault("a group of the kind " + text.substring(at - 1, Math.min(at + 3, text.length())));
            }
        }
        PatternNode node = choice();
        if (!take(")")) {
            throw fault("a ( that is not closed");
        }
        return ahead || negated ? new Ahead(node, negated) : new Sequence(List.of(node));
    }

    private Characters set() throws PatternFault {
        boolean negated = take("^");
        List<Range> ranges = new ArrayList<>();
        List<Category> categories = new ArrayList<>();
        while (!take("]")) {
            Characters item = member();
            Characters end = null;
            if (isOne(item) && text.startsWith("-", at) && !text.startsWith("-]", at)) {
                at++;
                end = member();
            }
            if (end != null && isOne(end)) {
                int first = item.ranges().get(0).first();
                int last = end.ranges().get(0).first();
                if (last < first) {
                    throw fault("a range whose ends are out of order");
                }
                ranges.add(new Range(first, last));
                continue;
            }
            ranges.addAll(item.ranges());
            categories.addAll(item.categories());
            if (end != null) {
                ranges.add(new Range('-', '-'));
                ranges.addAll(end.ranges());
                categories.addAll(end.categories());
            }
        }
        return new Characters(ranges, categories, negated);
    }

    private static boolean isOne(Characters item) {
        return item.categories().isEmpty()
                && item.ranges().size() == 1
                && item.ranges().get(0).first() == item.ranges().get(0).last();
    }

    private Characters member() throws PatternFault {
        if (at == text.length()) {
            throw fault("a [ that is not closed");
        }
        if (text.startsWith("[:", at) && text.indexOf(":]", at) > 0) {
            throw fault("a class such as [:alpha:]");
        }
        int point = next();
        if (point != '\\') {
            return Characters.one(point);
        }
        if (take("b")) {
            return Characters.one('\b');
        }
        if (escape() instanceof Characters characters) {
            return characters;
        }
        throw fault("a \\B inside of [ ]");
    }

    private PatternNode escape() throws PatternFault {
        PatternEscapes escapes = new PatternEscapes(text, at);
        PatternNode node = escapes.read();
        at = escapes.end();
        return node;
    }

    private int next() {
        int point = text.codePointAt(at);
        at += Character.charCount(point);
        return point;
    }

    private boolean take(String expected) {
        if (!text.startsWith(expected, at)) {
            return false;
        }
        at += expected.length();
        return true;
    }
}
