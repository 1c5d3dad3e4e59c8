// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * Takes secrets out of failures (clause 12), once, at the host, before anything stores or sees them. Immutable and safe
 * for use by several threads.
 *
 * <pre>{@code
 * Redactor redactor = Redactor.DEFAULT.withName("licence_key").withPattern(Pattern.compile("ACME-[0-9]{8}"));
 * redactor.text("password=hunter2"); // password=[redacted]
 * }</pre>
 */
public final class Redactor {
    private static final int MIN_INJECTED = 4;

    private static final Set<String> SECRET_NAMES = Set.of(
            "access_token", "refresh_token", "id_token", "auth_token", "token", "api_key", "apikey", "secret",
            "client_secret", "secret_key", "access_key", "password", "passwd", "passphrase", "pwd", "private_key",
            "credential", "credentials", "cookie", "set_cookie", "x_api_key");

    /** Kinds whose message and details the runtime makes itself, without any value in them (clause 12.6). */
    private static final Set<ErrorKind> OUR_OWN_WORDS = EnumSet.of(
            ErrorKind.INVALID_ARGUMENTS, ErrorKind.NOT_FOUND, ErrorKind.NOT_RUN, ErrorKind.TIMEOUT,
            ErrorKind.TOO_LARGE, ErrorKind.RESULT_CONVERSION);

    /** The rules of clauses 12.2 and 12.3. */
    public static final Redactor DEFAULT = new Redactor(SECRET_NAMES, List.of(), null);

    private final Set<String> names;
    private final List<Pattern> patterns;
    private final UnaryOperator<String> replacement;

    private Redactor(Set<String> names, List<Pattern> patterns, UnaryOperator<String> replacement) {
        this.names = names;
        this.patterns = patterns;
        this.replacement = replacement;
    }

    /** A redactor of the host's own for texts, in place of the rules of clause 12.2. */
    public static Redactor of(UnaryOperator<String> text) {
        return new Redactor(SECRET_NAMES, List.of(), Misuse.required(text, "the redactor of texts"));
    }

    /** This one with a further secret name; case does not count, and {@code -} is {@code _}. */
    public Redactor withName(String name) {
        Set<String> more = new TreeSet<>(names);
        if (Misuse.requiredText(name, "a secret name").length() > SecretScanner.MAX_NAME) {
            throw new Misuse("a secret name has more than " + SecretScanner.MAX_NAME + " characters; give a shorter one");
        }
        more.add(SecretScanner.normal(name));
        return new Redactor(Set.copyOf(more), patterns, replacement);
    }

    /** This one with a further pattern; whatever it finds is replaced whole. */
    public Redactor withPattern(Pattern pattern) {
        List<Pattern> more = new ArrayList<>(patterns);
        more.add(Misuse.required(pattern, "a pattern"));
        return new Redactor(names, List.copyOf(more), replacement);
    }

    /** The text with its secrets replaced by {@code [redacted]}. */
    public String text(String text) {
        return text(text, List.of());
    }

    /** The same where the values of injected parameters are secret too (clause 12.5). */
    public String text(String text, Collection<String> injected) {
        return redacted(text, longestFirst(injected));
    }

    /** Details with their secrets replaced (clause 12.4), as decoded portable values. */
    public Object details(Object details, Collection<String> injected) {
        JsonForm portable = new JsonForm();
        new Encoder(portable, false, true).value(details);
        return value(JsonReader.portable(portable.toBytes()), longestFirst(injected));
    }

    /**
     * The failure as it leaves the host: redacted, its message, causes and trace cut to their limits (clauses 4.3 and
     * 4.10). Never throws: where the redactor itself fails, everything that could hold a secret is dropped.
     *
     * @param injected the text values of injected parameters
     */
    public ToolFailure failure(ToolFailure failure, Collection<String> injected) {
        if (OUR_OWN_WORDS.contains(failure.error().kind())) {
            return cut(failure);
        }
        try {
            return cut(redacted(failure, longestFirst(injected)));
        } catch (RuntimeException | StackOverflowError broken) { // a host's pattern or function may fail (clause 12.7)
            return bare(failure);
        }
    }

    private static ToolFailure cut(ToolFailure failure) {
        ToolError error = failure.error();
        List<Cause> causes = new ArrayList<>(error.causes().size());
        for (Cause cause : error.causes()) {
            String message = ErrorText.cut(cause.message(), ErrorText.MAX_MESSAGE);
            causes.add(new Cause(cause.type(), message, cause.language()));
        }
        String trace = error.trace() == null
                ? null
                : ErrorText.cutTrace(error.trace(), error.language(), ErrorText.MAX_TRACE);
        ToolError cut = error.toBuilder()
                .message(ErrorText.cut(error.message(), ErrorText.MAX_MESSAGE))
                .causes(causes)
                .trace(trace)
                .build();
        return new ToolFailure(cut, failure.content(), failure.meta());
    }

    private static List<String> longestFirst(Collection<String> injected) {
        List<String> secrets = new ArrayList<>();
        for (String secret : injected) {
            if (secret.codePointCount(0, secret.length()) >= MIN_INJECTED) {
                secrets.add(secret);
            }
        }
        secrets.sort(Comparator.comparingInt(String::length).reversed());
        return secrets;
    }

    private String redacted(String text, List<String> secrets) {
        String clean = text;
        for (String secret : secrets) {
            clean = clean.replace(secret, SecretScanner.REDACTED);
        }
        clean = replacement == null ? SecretScanner.redact(clean, names) : replaced(clean);
        for (Pattern pattern : patterns) {
            clean = pattern.matcher(clean).replaceAll("[redacted]");
        }
        return clean;
    }

    private String replaced(String text) {
        return Misuse.required(replacement.apply(text), "what the host's redactor makes of a text");
    }

    private ToolFailure redacted(ToolFailure failure, List<String> secrets) {
        ToolError error = failure.error();
        List<Cause> causes = new ArrayList<>(error.causes().size());
        for (Cause cause : error.causes()) {
            causes.add(new Cause(cause.type(), redacted(cause.message(), secrets), cause.language()));
        }
        ToolError clean = error.toBuilder()
                .message(redacted(error.message(), secrets))
                .causes(causes)
                .trace(error.trace() == null ? null : redacted(error.trace(), secrets))
                .details(error.details() == null ? null : details(error.details(), secrets))
                .build();
        return new ToolFailure(clean, content(failure.content(), secrets), failure.meta());
    }

    private List<Block> content(List<Block> content, List<String> secrets) {
        List<Block> clean = new ArrayList<>(content.size());
        for (Block block : content) {
            clean.add(block.isText() ? block.withText(redacted(block.textOrNull(), secrets)) : block);
        }
        return clean;
    }

    private static ToolFailure bare(ToolFailure failure) {
        ToolError error = failure.error();
        List<Cause> causes = new ArrayList<>();
        for (Cause cause : error.causes()) {
            causes.add(new Cause(cause.type(), null, cause.language()));
        }
        List<Block> content = new ArrayList<>(failure.content());
        content.removeIf(Block::isText);
        ToolError bare = error.toBuilder()
                .message(SecretScanner.REDACTED)
                .details(null)
                .causes(causes)
                .trace(null)
                .build();
        return new ToolFailure(bare, content, failure.meta());
    }

    private Object value(Object value, List<String> secrets) {
        if (value instanceof String text) {
            return redacted(text, secrets);
        } else if (value instanceof Map<?, ?> map) {
            return members(map, secrets);
        } else if (value instanceof Set<?> set) {
            Set<Object> items = new LinkedHashSet<>();
            set.forEach(item -> items.add(value(item, secrets)));
            return Collections.unmodifiableSet(items);
        } else if (value instanceof List<?> list) {
            List<Object> items = new ArrayList<>(list.size());
            list.forEach(item -> items.add(value(item, secrets)));
            return Collections.unmodifiableList(items);
        } else if (value instanceof Tagged tagged) {
            return new Tagged(tagged.tag(), value(tagged.payload(), secrets));
        }
        return value;
    }

    private Map<?, ?> members(Map<?, ?> map, List<String> secrets) {
        Map<Object, Object> members = new LinkedHashMap<>();
        map.forEach((key, value) -> members.put(
                key, key instanceof String name && isSecret(name) ? SecretScanner.REDACTED : value(value, secrets)));
        return Collections.unmodifiableMap(members);
    }

    private boolean isSecret(String name) {
        String normal = SecretScanner.normal(name);
        return SecretScanner.endsIn(names, normal) || SecretScanner.isHeader(normal);
    }
}
