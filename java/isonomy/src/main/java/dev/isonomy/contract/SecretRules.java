// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What looks like a secret in a text: the rules of clauses 12.2 and 12.3, in their order. They are written out and are
 * no regular expressions: traces are long, every failure passes here, and each rule takes time linear in the text.
 * Immutable.
 */
final class SecretRules {
    static final String REDACTED = "[redacted]";

    /** The rules where the host adds no names. */
    static final SecretRules DEFAULT = new SecretRules(Set.of(
            "access_token", "refresh_token", "id_token", "auth_token", "token", "api_key", "apikey", "secret",
            "client_secret", "secret_key", "access_key", "password", "passwd", "passphrase", "pwd", "private_key",
            "credential", "credentials", "cookie", "set_cookie", "x_api_key"));

    /** A part of a text, from its start to before its end. */
    static final class Part {
        int start;
        int end;

        boolean set(int from, int to) {
            start = from;
            end = to;
            return true;
        }
    }

    /** One rule. */
    @FunctionalInterface
    interface Rule {
        /** Finds the next part to replace from an index on; false where there is none. */
        boolean find(String text, int from, Part part);
    }

    /** What one rule took away may have hidden another's part; so all come again until nothing changes. */
    private static final int MAX_PASSES = 8;

    private final Set<String> names;
    private final NamedSecrets named;
    private final List<Rule> rules;

    /** @param names in lower case with underscores */
    private SecretRules(Set<String> names) {
        this.names = names;
        this.named = new NamedSecrets(names);
        this.rules = List.of(
                TokenShapes::findPrivateKey, UrlSecrets::find, NamedSecrets.HEADER::find, BearerSecrets::find,
                TokenShapes::findToken, named::find);
    }

    /** These rules with a further secret name; case does not count, and {@code -} is {@code _}. */
    SecretRules withName(String name) {
        if (!Misuse.requiredText(name, "a secret name").matches("[A-Za-z0-9][A-Za-z0-9_-]*")
                || name.length() > NamedSecrets.MAX_NAME) {
            throw new Misuse("a secret name is made of at most " + NamedSecrets.MAX_NAME + " letters, digits, _ and -,"
                    + " and starts with a letter or digit, got \"" + name + "\"; use a pattern for other texts");
        }
        Set<String> more = new LinkedHashSet<>(names);
        more.add(NamedSecrets.folded(name, 0, name.length()));
        return new SecretRules(Set.copyOf(more));
    }

    /** Whether the value of a key is secret whatever it is (clause 12.4). */
    boolean isSecret(String key) {
        return named.endsIn(key, 0, key.length()) || NamedSecrets.HEADER.endsIn(key, 0, key.length());
    }

    /** The text with its secrets replaced; the same object where it has none. */
    String redacted(String text) {
        if (!mayHoldSecrets(text)) {
            return text;
        }
        String before = text;
        for (int pass = 0; pass < MAX_PASSES; pass++) {
            String after = before;
            for (Rule rule : rules) {
                after = applied(rule, after);
            }
            if (after.equals(before)) {
                break;
            }
            before = after;
        }
        return before;
    }

    private static String applied(Rule rule, String text) {
        Part part = new Part();
        StringBuilder out = null;
        int copied = 0;
        while (rule.find(text, copied, part)) {
            if (out == null) {
                out = new StringBuilder(text.length());
            }
            out.append(text, copied, part.start).append(REDACTED);
            copied = part.end;
        }
        return out == null ? text : out.append(text, copied, text.length()).toString();
    }

    /** Looks through a text once for where a rule may begin to find something: most texts have no such place. */
    private boolean mayHoldSecrets(String text) {
        Part part = new Part();
        for (int at = 0; at < text.length(); at++) {
            boolean found = switch (text.charAt(at)) {
                case ':' -> text.startsWith("://", at) && UrlSecrets.at(text, at, part) || namesAt(text, at);
                case '=' -> namesAt(text, at);
                case '-' -> text.startsWith(TokenShapes.PEM_BEGIN, at);
                case 'b', 'B' -> BearerSecrets.wordEnd(text, at) >= 0;
                case 's', 'g', 'A', 'x', 'e' -> TokenShapes.tokenEnd(text, at) >= 0;
                default -> false;
            };
            if (found) {
                return true;
            }
        }
        return false;
    }

    private boolean namesAt(String text, int sign) {
        return named.isBefore(text, sign, 0) || NamedSecrets.HEADER.isBefore(text, sign, 0);
    }

    // Characters: the ASCII ones alone (clause 12.2) ------------------------------------------------

    static boolean isAlphanumeric(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
    }

    static boolean isSpace(char c) {
        return c == ' ' || c >= '\t' && c <= '\r';
    }

    static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }

    static boolean isQuote(char c) {
        return c == '"' || c == '\'';
    }

    static char lower(char c) {
        return c >= 'A' && c <= 'Z' ? (char) (c + ('a' - 'A')) : c;
    }

    /** Whether a word may start there: no letter, digit or underscore is before it. */
    static boolean startsWord(String text, int at) {
        return at == 0 || !isAlphanumeric(text.charAt(at - 1)) && text.charAt(at - 1) != '_';
    }
}
