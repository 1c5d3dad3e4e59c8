// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.contract.Effect;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.Settled;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads and judges the arguments of one tool (clause 7). Safe for use by several threads. */
final class Arguments {

    private final JsonSchema schema;
    private final Set<String> hostNames = new HashSet<>();

    /**
     * @param place what a misuse is said of
     * @param injected the parameters that the host fills in, by name
     */
    Arguments(String place, JsonSchema schema, Map<String, InjectedParameter> injected) {
        this.schema = schema;
        injected.forEach((parameter, from) -> {
            hostNames.add(InjectedParameter.folded(parameter));
            hostNames.add(InjectedParameter.folded(from.name()));
        });
        for (String name : schema.shape().properties().keySet()) {
            if (hostNames.contains(InjectedParameter.folded(name))) {
                throw new Misuse("the parameter " + name + " of " + place + " has the name of an injected one or of"
                        + " its value at the host; case, _ and - do not tell them apart, so rename one of them");
            }
        }
    }

    /** Thrown where arguments are refused; the body does not run. */
    static final class Refused extends Exception {

        private static final long serialVersionUID = 1L;

        private final transient Settled outcome;

        Refused(Collection<Violation> violations) {
            super(null, null, false, false);
            this.outcome = Violation.settled(violations);
        }

        /** For what is no fault of the arguments: they cannot be judged (clauses 7.15 and 7.16). */
        Refused(String unjudged) {
            super(null, null, false, false);
            this.outcome = Settled.of(ErrorKind.INTERNAL, unjudged, Effect.NONE);
        }

        /** How the call ends. */
        Settled outcome() {
            return outcome;
        }
    }

    /**
     * The valid arguments of an invocation, as plain values. They may be the caller's own map, which is not to be
     * changed.
     *
     * @throws Refused they are not valid
     */
    Map<String, Object> read(Invocation invocation) throws Refused {
        List<Foreign> foreign = new ArrayList<>(0);
        List<Violation> violations = new ArrayList<>(0);
        Map<String, Object> plain = withoutInjected(plain(invocation.arguments(), foreign), violations);
        try {
            if (violations.isEmpty() && foreign.isEmpty() && schema.accepts(plain)) {
                return plain;
            }
            Adjustment adjustment = new Adjustment(schema.shape());
            Map<String, Object> adjusted = adjustment.of(plain);
            invocation.decoded(adjustment.decoded());
            violations.addAll(foreign(foreign, schema.violations(adjusted)));
            if (!violations.isEmpty()) {
                throw new Refused(violations);
            }
            return adjusted;
        } catch (TooMuchWork tooMuch) {
            throw new Refused(tooMuch.getMessage());
        }
    }

    private static Map<String, Object> plain(Object sent, List<Foreign> foreign) throws Refused {
        try {
            Object value = sent;
            if (sent instanceof String text) {
                value = isBlank(text) ? null : PlainJson.read(text, List.of());
            } else if (sent instanceof Map<?, ?> map) {
                value = PlainValues.of(map, foreign);
            }
            if (value == null) {
                return Map.of();
            }
            if (value instanceof Map<?, ?>) {
                @SuppressWarnings("unchecked") // both readers give maps whose keys are strings
                Map<String, Object> object = (Map<String, Object>) value;
                return object;
            }
            throw new NotPlain(new Violation(ArgumentPath.ROOT, "type", RuleMessage.expected(List.of("object"))));
        } catch (NotPlain notPlain) {
            throw new Refused(List.of(notPlain.violation()));
        }
    }

    /** White space of JSON only: any other is text that is no JSON. */
    private static boolean isBlank(String text) {
        for (int i = text.startsWith("\uFEFF") ? 1 : 0; i < text.length(); i++) {
            if (" \t\n\r".indexOf(text.charAt(i)) < 0) {
                return false;
            }
        }
        return true;
    }

    private Map<String, Object> withoutInjected(Map<String, Object> sent, List<Violation> violations) {
        if (hostNames.isEmpty()) {
            return sent;
        }
        Map<String, Object> left = sent;
        for (String name : sent.keySet()) {
            if (hostNames.contains(InjectedParameter.folded(name))) {
                if (left == sent) {
                    left = new LinkedHashMap<>(sent);
                }
                left.remove(name);
                if (schema.shape().isClosed()) {
                    violations.add(
                            new Violation(ArgumentPath.of(List.of(name)), "injected", "is set by the host"));
                }
            }
        }
        return left;
    }

    /** A value of another kind is reported by the type that its place expects, and by nothing else (clause 7.2). */
    private List<Violation> foreign(List<Foreign> foreign, List<Violation> others) {
        if (foreign.isEmpty()) {
            return others;
        }
        Set<String> places = new HashSet<>();
        List<Violation> violations = new ArrayList<>();
        for (Foreign one : foreign) {
            String path = ArgumentPath.of(one.steps());
            places.add(path);
            Shape shape = schema.shape().at(one.steps());
            boolean says = shape != null && !shape.types().isEmpty();
            violations.add(
                    new Violation(path, "type", RuleMessage.expected(says ? shape.types() : List.of("a JSON value"))));
        }
        others.stream().filter(other -> !places.contains(other.path())).forEach(violations::add);
        return violations;
    }
}
