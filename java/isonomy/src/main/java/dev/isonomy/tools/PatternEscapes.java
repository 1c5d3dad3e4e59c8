// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.tools.PatternNode.Assertion;
import dev.isonomy.tools.PatternNode.Category;
import dev.isonomy.tools.PatternNode.Characters;
import dev.isonomy.tools.PatternNode.Range;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads what follows a backslash in a regular expression of the portable kind (clause 7.15). */
final class PatternEscapes {

    private static final int[] DIGIT = {'0', '9'};
    private static final int[] WORD = {'0', '9', 'A', 'Z', '_', '_', 'a', 'z'};
    private static final int[] SPACE = {
        0x09, 0x0D, 0x20, 0x20, 0xA0, 0xA0, 0x1680, 0x1680, 0x2000, 0x200A, 0x2028, 0x2029, 0x202F, 0x202F, 0x205F,
        0x205F, 0x3000, 0x3000, 0xFEFF, 0xFEFF
    };

    /** What a point stands for: all but the ends of lines. */
    static final Characters ANY = others(0x0A, 0x0A, 0x0D, 0x0D, 0x2028, 0x2029);

    private static final Pattern CATEGORY = Pattern.compile(
            "\\{(?:(?:gc|General_Category)=)?(C[cfnos]?|L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|S[ckmo]?|Z[lps]?)\\}");
    private static final Pattern POINT = Pattern.compile("\\{([0-9A-Fa-f]{1,8})\\}");

    private final String text;
    private int at;

    /** @param at where the character after the backslash stands */
    PatternEscapes(String text, int at) {
        this.text = text;
        this.at = at;
    }

    /** Where what was read ends. */
    int end() {
        return at;
    }

    /** What the escape means. */
    PatternNode read() throws PatternFault {
        if (at == text.length()) {
            throw PatternParser.fault("a \\ at its end");
        }
        int point = text.codePointAt(at);
        at += Character.charCount(point);
        return switch (point) {
            case 'b', 'B' -> new Assertion((char) point);
            case 'd' -> these(DIGIT);
            case 'D' -> others(DIGIT);
            case 'w' -> these(WORD);
            case 'W' -> others(WORD);
            case 's' -> these(SPACE);
            case 'S' -> others(SPACE);
            case 'p', 'P' -> category(point == 'P');
            case 't' -> Characters.one('\t');
            case 'n' -> Characters.one('\n');
            case 'v' -> Characters.one(0x0B);
            case 'f' -> Characters.one('\f');
            case 'r' -> Characters.one('\r');
            case 'x' -> Characters.one(hexadecimal(2));
            case 'u' -> Characters.one(unicode());
            default -> Characters.one(other(point));
        };
    }

    private int other(int point) throws PatternFault {
        char after = at < text.length() ? text.charAt(at) : ' ';
        if (point == '0' && (after < '0' || after > '9')) {
            return 0;
        }
        if (point == 'c' && (after >= 'a' && after <= 'z' || after >= 'A' && after <= 'Z')) {
            at++;
            return after % 32;
        }
        boolean means = point >= '0' && point <= '9' || point >= 'a' && point <= 'z' || point >= 'A' && point <= 'Z';
        if (means || point < ' ' || point > '~') {
            throw PatternParser.fault("a \\" + Character.toString(point));
        }
        return point;
    }

    private Characters category(boolean negated) throws PatternFault {
        Matcher found = CATEGORY.matcher(text).region(at, text.length());
        if (!found.lookingAt()) {
            throw PatternParser.fault("a \\p that names no general category, such as \\p{L}");
        }
        at = found.end();
        return new Characters(List.of(), List.of(new Category(found.group(1), negated)), false);
    }

    private int unicode() throws PatternFault {
        if (text.startsWith("{", at)) {
            Matcher found = POINT.matcher(text).region(at, text.length());
            if (!found.lookingAt() || Long.parseLong(found.group(1), 16) > Character.MAX_CODE_POINT) {
                throw PatternParser.fault("a \\u that names no character");
            }
            at = found.end();
            return Integer.parseInt(found.group(1), 16);
        }
        int high = hexadecimal(4);
        if (Character.isHighSurrogate((char) high) && text.startsWith("\\u", at) && !text.startsWith("\\u{", at)) {
            int start = at;
            at += 2;
            int low = hexadecimal(4);
            if (Character.isLowSurrogate((char) low)) {
                return Character.toCodePoint((char) high, (char) low);
            }
            at = start;
        }
        return high;
    }

    private int hexadecimal(int digits) throws PatternFault {
        int number = 0;
        for (int end = at + digits; at < end; at++) {
            char c = at < text.length() ? text.charAt(at) : ' ';
            int digit = c < 0x80 ? Character.digit(c, 16) : -1;
            if (digit < 0) {
                throw PatternParser.fault("a \\x or \\u that names no character");
            }
            number = number * 16 + digit;
        }
        return number;
    }

    private static Characters these(int... ends) {
        List<Range> ranges = new ArrayList<>();
        for (int i = 0; i < ends.length; i += 2) {
            ranges.add(new Range(ends[i], ends[i + 1]));
        }
        return new Characters(ranges, List.of(), false);
    }

    /** All but these: as ranges, so that a set may hold them among others. */
    private static Characters others(int... ends) {
        List<Range> ranges = new ArrayList<>();
        int start = 0;
        for (int i = 0; i < ends.length; i += 2) {
            ranges.add(new Range(start, ends[i] - 1));
            start = ends[i + 1] + 1;
        }
        ranges.add(new Range(start, Character.MAX_CODE_POINT));
        return new Characters(ranges, List.of(), false);
    }
}
