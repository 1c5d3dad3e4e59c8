// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.Set;

/** Values after names: of authorization headers (clause 12.2 c) and of secret names (clauses 12.2 f and 12.3). */
final class NamedSecrets {
    /** The longest name, so that a run of underscores takes no longer than other text. */
    static final int MAX_NAME = 64;

    /** Words that name a way of authentication in a header and are no credential themselves. */
    private static final Set<String> SCHEMES = Set.of(
            "apikey", "basic", "bearer", "digest", "dpop", "gnap", "hawk", "hoba", "mutual", "negotiate", "ntlm",
            "oauth", "privatetoken", "signature", "token", "vapid", "scram-sha-1", "scram-sha-256",
            "aws4-hmac-sha256");

    private static final int MAX_SCHEME = 16;

    /** The rule of headers. */
    static final NamedSecrets HEADER = new NamedSecrets(Set.of("authorization"), true);

    private final Set<String> names;
    private final boolean isHeader;

    /** @param names in lower case with underscores */
    NamedSecrets(Set<String> names) {
        this(names, false);
    }

    private NamedSecrets(Set<String> names, boolean isHeader) {
        this.names = names;
        this.isHeader = isHeader;
    }

    /** Finds the next value from an index on. */
    boolean find(String text, int from, SecretRules.Part part) {
        for (int at = from; at < text.length(); at++) {
            if (isSign(text.charAt(at)) && isBefore(text, at, from)) {
                int start = valueStart(text, at);
                int end = isHeader ? credentialEnd(text, start, part) : chainEnd(text, start, part);
                if (end > part.start) {
                    part.end = end;
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether a name ends before a sign, blanks and a quote aside. */
    boolean isBefore(String text, int sign, int from) {
        int end = sign;
        while (end > from && SecretRules.isBlank(text.charAt(end - 1))) {
            end--;
        }
        if (end > from && SecretRules.isQuote(text.charAt(end - 1))) {
            end--;
            while (end > from && text.charAt(end - 1) == '\\') {
                end--;
            }
        }
        int start = end;
        while (start > from && end - start <= MAX_NAME && isNamePart(text.charAt(start - 1))) {
            start--;
        }
        return start < end && endsIn(text, start, end);
    }

    /** Whether a part of a text is one of the names or ends in one after {@code _} or {@code -}. */
    boolean endsIn(String text, int start, int end) {
        int first = Math.max(start, end - MAX_NAME - 1); // one more than a name has: what must stand before it
        String name = folded(text, first, end);
        int at = end - start <= MAX_NAME ? 0 : name.indexOf('_') + 1;
        if (at == 0 && end - start > MAX_NAME) {
            return false;
        }
        while (!names.contains(name.substring(at))) {
            at = name.indexOf('_', at) + 1;
            if (at == 0) {
                return false;
            }
        }
        return true;
    }

    /** A name as the sets of names hold it: ASCII letters in lower case, underscores for hyphens. */
    static String folded(String text, int start, int end) {
        return lower(text, start, end).replace('-', '_');
    }

    private static String lower(String text, int start, int end) {
        char[] word = new char[end - start];
        for (int i = 0; i < word.length; i++) {
            word[i] = SecretRules.lower(text.charAt(start + i));
        }
        return new String(word);
    }

    /** The end of a header's credential, whose start is set: behind the name of a scheme. */
    private static int credentialEnd(String text, int start, SecretRules.Part part) {
        int end = nameEnd(text, start);
        int value = blanksEnd(text, end);
        boolean scheme = value > end && end - start <= MAX_SCHEME && SCHEMES.contains(lower(text, start, end));
        part.start = scheme ? value : start;
        return valueEnd(text, part.start);
    }

    /** The end of a value, whose start is set; one that is a name with its sign takes along the value after that. */
    private int chainEnd(String text, int start, SecretRules.Part part) {
        part.start = start;
        int before = -1;
        int value = start;
        while (true) {
            int nameEnd = nameEnd(text, value);
            int sign = blanksEnd(text, quoteEnd(text, nameEnd));
            if (nameEnd == value || sign == text.length() || !isSign(text.charAt(sign))
                    || !endsIn(text, value, nameEnd)) {
                break;
            }
            before = value;
            value = valueStart(text, sign);
        }
        int end = valueEnd(text, value);
        return end > value || before < 0 ? end : valueEnd(text, before);
    }

    /** Where a value begins: behind its sign, one more {@code =} or {@code >}, blanks and a quote. */
    private static int valueStart(String text, int sign) {
        int start = sign + 1;
        if (start < text.length() && (text.charAt(start) == '=' || text.charAt(start) == '>')) {
            start++;
        }
        return quoteEnd(text, blanksEnd(text, start));
    }

    private static int valueEnd(String text, int from) {
        int end = from;
        while (end < text.length()) {
            char c = text.charAt(end);
            if (c == '\\') {
                int run = backslashesEnd(text, end);
                if (run < text.length() && SecretRules.isQuote(text.charAt(run))) {
                    return end;
                }
                end = run;
            } else if (text.startsWith(SecretRules.REDACTED, end)) {
                end += SecretRules.REDACTED.length();
            } else if (endsValue(c)) {
                return end;
            } else {
                end++;
            }
        }
        return end;
    }

    private static boolean endsValue(char c) {
        return switch (c) {
            case '"', '\'', '&', ',', ';', ')', '}', ']' -> true;
            default -> SecretRules.isSpace(c);
        };
    }

    private static int nameEnd(String text, int from) {
        int end = from;
        while (end < text.length() && isNamePart(text.charAt(end))) {
            end++;
        }
        return end;
    }

    private static int blanksEnd(String text, int from) {
        int end = from;
        while (end < text.length() && SecretRules.isBlank(text.charAt(end))) {
            end++;
        }
        return end;
    }

    /** The end of a quote and the backslashes before it; the index itself where there is none. */
    private static int quoteEnd(String text, int from) {
        int quote = backslashesEnd(text, from);
        return quote < text.length() && SecretRules.isQuote(text.charAt(quote)) ? quote + 1 : from;
    }

    private static int backslashesEnd(String text, int from) {
        int end = from;
        while (end < text.length() && text.charAt(end) == '\\') {
            end++;
        }
        return end;
    }

    private static boolean isSign(char c) {
        return c == '=' || c == ':';
    }

    private static boolean isNamePart(char c) {
        return SecretRules.isAlphanumeric(c) || c == '_' || c == '-';
    }
}
