// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.Locale;
import java.util.Set;

/**
 * Finds what clause 12.2 calls secret, in one pass over a text. The built-in rules are written out and are no regular
 * expressions: traces are long, and every failure passes here.
 */
final class SecretScanner {
    static final String REDACTED = "[redacted]";

    /** A proxy's header ends so too. */
    private static final Set<String> HEADERS = Set.of("authorization");

    /** Words that name a way of authentication in a header and are no credential themselves. */
    private static final Set<String> SCHEMES = Set.of(
            "apikey",
            "basic",
            "bearer",
            "digest",
            "dpop",
            "gnap",
            "hawk",
            "hoba",
            "mutual",
            "negotiate",
            "ntlm",
            "oauth",
            "privatetoken",
            "signature",
            "token",
            "vapid",
            "scram-sha-1",
            "scram-sha-256",
            "aws4-hmac-sha256");

    /** What was replaced may bring a name and a value together; so a text is done when nothing is found any more. */
    private static final int MAX_PASSES = 10;

    /** The longest secret name; so a run of underscores takes no longer than other text. */
    static final int MAX_NAME = 64;

    private static final int MIN_BEARER = 6;
    private final String text;
    private final Set<String> names;
    private StringBuilder out;
    private int copied;
    private int at;

    private SecretScanner(String text, Set<String> names) {
        this.text = text;
        this.names = names;
    }

    /** The text with its secrets replaced; names are in lower case with underscores. */
    static String redact(String text, Set<String> names) {
        String before = text;
        for (int pass = 0; pass < MAX_PASSES; pass++) {
            String after = new SecretScanner(before, names).scan();
            if (after == before) { // the scanner hands back its text where it finds nothing
                return after;
            }
            before = after;
        }
        return before;
    }

    /** A name as the sets of names hold it. */
    static String normal(String name) {
        return name.toLowerCase(Locale.ROOT).replace('-', '_');
    }

    /** Whether a name is one of those, or ends in one after an underscore (clause 12.3). */
    static boolean endsIn(Set<String> names, String normalName) {
        int start = normalName.length() <= MAX_NAME ? 0 : next(normalName, normalName.length() - MAX_NAME);
        for (; start >= 0; start = next(normalName, start)) {
            if (names.contains(normalName.substring(start))) {
                return true;
            }
        }
        return false;
    }

    private static int next(String normalName, int start) {
        int underscore = normalName.indexOf('_', start);
        return underscore < 0 ? -1 : underscore + 1;
    }

    static boolean isHeader(String normalName) {
        return normalName.equals("authorization") || normalName.equals("proxy_authorization");
    }

    private String scan() {
        while (at < text.length()) {
            char c = text.charAt(at);
            boolean found = switch (c) {
                case ':' -> text.startsWith("://", at) ? url() : named();
                case '=' -> named();
                case '-' -> shaped(TokenShapes.privateKeyEnd(text, at));
                case 'b', 'B' -> bearer();
                case 's', 'g', 'A', 'x' -> startsWord() && shaped(TokenShapes.tokenEnd(text, at));
                // A hyphen is part of base64url: text full of them must not be looked through again and again.
                case 'e' -> startsWord() && before(at) != '-' && shaped(TokenShapes.tokenEnd(text, at));
                default -> false;
            };
            if (!found) {
                at++;
            }
        }
        return out == null ? text : out.append(text, copied, text.length()).toString();
    }

    /** Replaces a part that begins at or after {@link #at}, and goes on behind it. */
    private boolean replace(int start, int end) {
        if (out == null) {
            out = new StringBuilder(text.length());
        }
        out.append(text, copied, start).append(REDACTED);
        copied = end;
        at = end;
        return true;
    }

    /** {@code ://user:password@} (c): the user information ends at the last @ before a path, query or fragment. */
    private boolean url() {
        int start = at + 3;
        int colon = -1;
        int end = -1;
        for (int i = start; i < text.length() && !endsAuthority(text.charAt(i)); i++) {
            char c = text.charAt(i);
            if (c == ':' && colon < 0) {
                colon = i;
            } else if (c == '@') {
                end = i;
            }
        }
        return colon >= 0 && end > colon && replace(start, end);
    }

    private static boolean endsAuthority(char c) {
        return c == '/' || c == '?' || c == '#' || c == '"' || c == '\'' || c == '<' || c == '>' || isSpace(c);
    }

    /** A value after a header's name (a) or a secret name (d); {@link #at} is at the sign between them. */
    private boolean named() {
        String name = nameBefore(at);
        if (name == null) {
            return false;
        }
        boolean header = endsIn(HEADERS, name);
        if (!header && !endsIn(names, name)) {
            return false;
        }
        int start = valueStart(at + 1);
        int end = valueEnd(start);
        if (header && SCHEMES.contains(text.substring(start, end).toLowerCase(Locale.ROOT))) {
            start = skipBlanks(end);
            end = valueEnd(start);
        }
        if (start == end || text.startsWith(REDACTED, start)) {
            return false;
        }
        boolean bearer = isBearerWord(text.substring(start, end));
        int credential = bearer ? skipBlanks(end) : end;
        replace(start, end);
        return !bearer || credential == end || credential(credential);
    }

    /** The whole name that ends before the sign, blanks and quotes aside; null where there is none. */
    private String nameBefore(int sign) {
        int end = sign;
        while (end > copied && isBlank(text.charAt(end - 1))) {
            end--;
        }
        if (end > copied && isQuote(text.charAt(end - 1))) {
            end--;
            while (end > copied && text.charAt(end - 1) == '\\') {
                end--;
            }
        }
        int start = end;
        while (start > copied && isNamePart(text.charAt(start - 1))) {
            start--;
        }
        return start == end || Character.isLetterOrDigit(before(start)) ? null : normal(text.substring(start, end));
    }

    private int valueStart(int from) {
        int start = skipBlanks(from);
        int quote = start;
        while (quote < text.length() && text.charAt(quote) == '\\') {
            quote++;
        }
        return quote < text.length() && isQuote(text.charAt(quote)) ? quote + 1 : start;
    }

    private int valueEnd(int from) {
        int end = from;
        while (end < text.length() && !endsValue(text.charAt(end))) {
            end++;
        }
        return end;
    }

    private static boolean endsValue(char c) {
        return switch (c) {
            case '"', '\'', '&', ',', ';', ')', '}', ']' -> true;
            default -> isSpace(c);
        };
    }

    private int skipBlanks(int from) {
        int i = from;
        while (i < text.length() && isBlank(text.charAt(i))) {
            i++;
        }
        return i;
    }

    /** What follows the word bearer or basic (b). */
    private boolean bearer() {
        if (!startsWord() || at + 6 > text.length()) {
            return false;
        }
        int end = at + (text.charAt(at + 1) == 'e' || text.charAt(at + 1) == 'E' ? 6 : 5);
        if (!isBearerWord(text.substring(at, end))) {
            return false;
        }
        int start = end;
        while (start < text.length() && isSpace(text.charAt(start))) {
            start++;
        }
        return start > end && credential(start);
    }

    private static boolean isBearerWord(String word) {
        return word.equalsIgnoreCase("bearer") || word.equalsIgnoreCase("basic");
    }

    private boolean credential(int start) {
        int end = start;
        while (end < text.length() && isCredentialPart(text.charAt(end))) {
            end++;
        }
        return end - start >= MIN_BEARER && replace(start, end);
    }

    private static boolean isCredentialPart(char c) {
        return TokenShapes.isAlphanumeric(c) || "._~+/=-".indexOf(c) >= 0;
    }

    private boolean shaped(int end) {
        return end >= 0 && replace(at, end);
    }

    private boolean startsWord() {
        return !(Character.isLetterOrDigit(before(at)) || before(at) == '_');
    }

    /** The character before an index in what is written: behind a replaced part that is its bracket. */
    private char before(int index) {
        if (index == copied) {
            return out == null ? ' ' : ']';
        }
        return text.charAt(index - 1);
    }

    private static boolean isNamePart(char c) {
        return TokenShapes.isAlphanumeric(c) || c == '_' || c == '-';
    }

    private static boolean isQuote(char c) {
        return c == '"' || c == '\'';
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }

    private static boolean isSpace(char c) {
        return Character.isWhitespace(c) || Character.isSpaceChar(c);
    }
}
