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
    private static final Set<String> SCHEMES = Set.of("bearer", "basic", "digest", "token", "negotiate", "apikey");

    /** What was replaced may bring a name and a value together; so a text is done when nothing is found any more. */
    private static final int MAX_PASSES = 10;

    private static final int MIN_BEARER = 6;
    private static final String PEM_BEGIN = "-----BEGIN ";
    private static final String PEM_END = "-----END ";
    private static final String PEM_KEY = "PRIVATE KEY-----";

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
        for (int start = 0; start >= 0; start = next(normalName, start)) {
            if (names.contains(start == 0 ? normalName : normalName.substring(start))) {
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
                case '-' -> pem();
                case 'b', 'B' -> bearer();
                case 's', 'g', 'A', 'x' -> token(c);
                case 'e' -> webToken();
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
        return isAlphanumeric(c) || "._~+/=-".indexOf(c) >= 0;
    }

    /** Tokens of known shape (e), by their first letter. */
    private boolean token(char first) {
        if (!startsWord()) {
            return false;
        }
        return switch (first) {
            case 's' -> text.startsWith("sk-", at) && shaped(3, 16, "_-", false);
            case 'g' -> text.startsWith("gh", at) && isOneOf(at + 2, "pousr") && isOneOf(at + 3, "_")
                    && shaped(4, 20, "", false);
            case 'A' -> text.startsWith("AKIA", at) && shaped(4, 16, "", true);
            default -> text.startsWith("xox", at) && isOneOf(at + 3, "abprs") && isOneOf(at + 4, "-")
                    && shaped(5, 10, "-", false);
        };
    }

    private boolean isOneOf(int index, String characters) {
        return index < text.length() && characters.indexOf(text.charAt(index)) >= 0;
    }

    private boolean shaped(int prefix, int min, String signs, boolean upperCase) {
        int start = at + prefix;
        int end = start;
        while (end < text.length() && isShapePart(text.charAt(end), signs, upperCase)) {
            end++;
        }
        return end - start >= min && replace(at, end);
    }

    private static boolean isShapePart(char c, String signs, boolean upperCase) {
        return isAlphanumeric(c) && !(upperCase && c >= 'a' && c <= 'z') || signs.indexOf(c) >= 0;
    }

    /** Three parts of base64url of which the first starts with eyJ. */
    private boolean webToken() {
        if (!text.startsWith("eyJ", at) || !startsWord()) {
            return false;
        }
        int end = base64UrlEnd(at);
        for (int part = 2; part <= 3; part++) {
            if (end >= text.length() || text.charAt(end) != '.' || base64UrlEnd(end + 1) == end + 1) {
                return false;
            }
            end = base64UrlEnd(end + 1);
        }
        return replace(at, end);
    }

    private int base64UrlEnd(int from) {
        int end = from;
        while (end < text.length() && isShapePart(text.charAt(end), "_-", false)) {
            end++;
        }
        return end;
    }

    /** A private key block; one whose end is missing goes on to the end of the text. */
    private boolean pem() {
        if (!text.startsWith(PEM_BEGIN, at)) {
            return false;
        }
        int label = pemLabelEnd(at + PEM_BEGIN.length());
        if (label < 0) {
            return false;
        }
        int end = text.indexOf(PEM_END, label);
        while (end >= 0) {
            int close = pemLabelEnd(end + PEM_END.length());
            if (close >= 0) {
                return replace(at, close);
            }
            end = text.indexOf(PEM_END, end + 1);
        }
        return replace(at, text.length());
    }

    /** The index after {@code ...PRIVATE KEY-----}, or -1. */
    private int pemLabelEnd(int from) {
        int i = from;
        while (i < text.length() && (isAlphanumeric(text.charAt(i)) || text.charAt(i) == ' ')) {
            if (text.startsWith(PEM_KEY, i)) {
                return i + PEM_KEY.length();
            }
            i++;
        }
        return -1;
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
        return isAlphanumeric(c) || c == '_' || c == '-';
    }

    private static boolean isAlphanumeric(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
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
