// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
    /** Code points that a text loses where it was cut before redaction (clause 12.8). */
    private static final int BEHIND_A_CUT = 8_192;

    /** Kinds whose message and details the runtime makes itself, of keys and names and no values (clause 12.6). */
    private static final Set<ErrorKind> OUR_OWN_WORDS = EnumSet.of(
            ErrorKind.INVALID_ARGUMENTS, ErrorKind.NOT_FOUND, ErrorKind.NOT_RUN, ErrorKind.TIMEOUT,
            ErrorKind.TOO_LARGE, ErrorKind.RESULT_CONVERSION);

    /** The rules of clauses 12.2 and 12.3. */
    public static final Redactor DEFAULT = new Redactor(SecretRules.DEFAULT, List.of(), null);

    /** Replaces injected values alone: for what the runtime words itself (clause 12.6). */
    private static final Redactor VALUES_ONLY = new Redactor(SecretRules.DEFAULT, List.of(), null);

    private final SecretRules rules;
    private final List<Pattern> patterns;
    private final UnaryOperator<String> replacement;

    private Redactor(SecretRules rules, List<Pattern> patterns, UnaryOperator<String> replacement) {
        this.rules = rules;
        this.patterns = patterns;
        this.replacement = replacement;
    }

    /** A redactor of the host's own for texts, in place of the rules of clause 12.2. */
    public static Redactor of(UnaryOperator<String> text) {
        return new Redactor(SecretRules.DEFAULT, List.of(), Misuse.required(text, "the redactor of texts"));
    }

    /**
     * This one with a further secret name; case does not count, and {@code -} is {@code _}.
     *
     * @throws Misuse it is not made of at most 64 letters, digits, {@code _} and {@code -}, the first a letter or digit
     */
    public Redactor withName(String name) {
        return new Redactor(rules.withName(name), patterns, replacement);
    }

    /** This one with a further pattern; whatever it finds is replaced whole. */
    public Redactor withPattern(Pattern pattern) {
        List<Pattern> more = new ArrayList<>(patterns);
        more.add(Misuse.required(pattern, "a pattern"));
        return new Redactor(rules, List.copyOf(more), replacement);
    }

    /** The text with its secrets replaced by {@code [redacted]}. */
    public String text(String text) {
        return text(text, SecretValues.NONE);
    }

    /** The same where the values of injected parameters are secret too (clause 12.5). */
    public String text(String text, SecretValues injected) {
        return redacted(text, injected);
    }

    /** Details with their secrets replaced (clause 12.4), as decoded portable values. */
    public Object details(Object details, SecretValues injected) {
        return value(portable(details), injected);
    }

    private static Object portable(Object details) {
        JsonForm portable = new JsonForm();
        new Encoder(portable, false, true).value(details);
        return JsonReader.portable(portable.toBytes());
    }

    /**
     * The failure as it leaves the host: redacted, its message, causes and trace cut to their limits (clauses 4.3 and
     * 4.10). Never throws: where the redactor itself fails, everything that could hold a secret is dropped.
     *
     * @param injected the values of injected parameters
     */
    public ToolFailure failure(ToolFailure failure, SecretValues injected) {
        return failure(failure, injected, false);
    }

    /**
     * The same of a failure whose words may be another host's: those are redacted whatever the kind (clause 12.6).
     *
     * @param injected the values of injected parameters
     */
    public ToolFailure failure(ToolFailure failure, SecretValues injected, boolean isForeign) {
        boolean ours = !isForeign && OUR_OWN_WORDS.contains(failure.error().kind());
        if (ours && injected.isEmpty() && failure.content().isEmpty()) {
            return cut(failure);
        }
        try {
            ToolError clean = (ours ? VALUES_ONLY : this).redacted(failure.error(), injected);
            return cut(new ToolFailure(clean, content(failure.content(), injected), failure.meta()));
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

    private String redacted(String text, SecretValues secrets) {
        String clean = secrets.replaced(text);
        if (this == VALUES_ONLY) {
            return clean;
        }
        clean = replacement == null ? rules.redacted(clean) : replaced(clean);
        for (Pattern pattern : patterns) {
            clean = pattern.matcher(clean).replaceAll("[redacted]");
        }
        return text.endsWith("…") && isCut(text) ? withoutEnd(clean, secrets) + '…' : clean;
    }

    private static boolean isCut(String text) {
        return text.length() >= ErrorText.MAX_CROSSING
                && text.codePointCount(0, text.length()) == ErrorText.MAX_CROSSING;
    }

    private static String withoutEnd(String text, SecretValues secrets) {
        int points = text.codePointCount(0, text.length());
        return text.substring(0, text.offsetByCodePoints(0, Math.max(0, points - lost(secrets))));
    }

    private static String withoutStart(String text, SecretValues secrets) {
        int points = text.codePointCount(0, text.length());
        return text.substring(text.offsetByCodePoints(0, Math.min(points, lost(secrets))));
    }

    private static int lost(SecretValues secrets) {
        return Math.max(BEHIND_A_CUT, secrets.longest());
    }

    private String trace(ToolError error, SecretValues secrets) {
        if (error.trace() == null) {
            return null;
        }
        String clean = redacted(error.trace(), secrets);
        if (error.trace().codePointCount(0, error.trace().length()) < ErrorText.MAX_CROSSING) {
            return clean;
        }
        return error.language().equals(Language.PYTHON) ? withoutStart(clean, secrets) : withoutEnd(clean, secrets);
    }

    private String replaced(String text) {
        return Misuse.required(replacement.apply(text), "what the host's redactor makes of a text");
    }

    private ToolError redacted(ToolError error, SecretValues secrets) {
        List<Cause> causes = new ArrayList<>(error.causes().size());
        for (Cause cause : error.causes()) {
            causes.add(new Cause(cause.type(), redacted(cause.message(), secrets), cause.language()));
        }
        return error.toBuilder()
                .message(redacted(error.message(), secrets))
                .causes(causes)
                .trace(trace(error, secrets))
                .details(error.details() == null ? null : details(error.details(), secrets))
                .build();
    }

    private List<Block> content(List<Block> content, SecretValues secrets) {
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
                .message(SecretRules.REDACTED)
                .details(null)
                .causes(causes)
                .trace(null)
                .build();
        return new ToolFailure(bare, content, failure.meta());
    }

    private Object value(Object value, SecretValues secrets) {
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
        } else if (value instanceof byte[] bytes) {
            return secrets.areIn(bytes) ? SecretRules.REDACTED : bytes;
        } else if (value instanceof Opaque opaque) {
            return new Opaque(opaque.type(), redacted(opaque.path(), secrets));
        } else if (value instanceof Tagged tagged && !TagForms.isStated(tagged.tag(), tagged.payload())) {
            return new Tagged(tagged.tag(), value(tagged.payload(), secrets));
        }
        return value;
    }

    private Map<?, ?> members(Map<?, ?> map, SecretValues secrets) {
        Map<Object, Object> members = new LinkedHashMap<>();
        boolean ours = this == VALUES_ONLY; // the keys of what the runtime says are its own
        map.forEach((key, value) -> {
            boolean secret = !ours && key instanceof String name && rules.isSecret(name);
            members.putIfAbsent(
                    ours ? key : value(key, secrets), secret ? SecretRules.REDACTED : value(value, secrets));
        });
        return Collections.unmodifiableMap(members);
    }
}
