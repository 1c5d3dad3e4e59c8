// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.contract.Effect;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Settled;
import dev.isonomy.contract.ToolError;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * One rule that the arguments break (clause 7.7).
 *
 * @param path where, as {@link ArgumentPath} writes it; empty for the whole
 * @param rule the JSON Schema keyword, or one of clause 7.8
 * @param message what is wrong; never the value that was sent
 */
record Violation(String path, String rule, String message) {

    private static final int SHOWN = 16;
    private static final String ARGUMENTS = ArgumentPath.shown(ArgumentPath.ROOT);

    /** By path, then by rule, each by code points; one rule is reported once at one path (clause 7.10). */
    private static Comparator<Violation> order(String whole) {
        return Comparator.comparing((Violation each) -> each.place(whole), CodePoints.ORDER)
                .thenComparing(Violation::rule, CodePoints.ORDER);
    }

    /** The end of a call whose arguments break rules: {@code invalid_arguments}, effect none. */
    static Settled settled(Collection<Violation> violations) {
        TreeSet<Violation> ordered = ordered(violations, ARGUMENTS);
        List<Object> shown = new ArrayList<>();
        StringBuilder message = new StringBuilder();
        for (Violation each : ordered) {
            if (shown.size() == SHOWN) {
                break;
            }
            shown.add(each.wire(ARGUMENTS));
            message.append(message.isEmpty() ? "" : "; ")
                    .append(ArgumentPath.shown(each.path))
                    .append(": ")
                    .append(each.message);
        }
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("violations", shown);
        if (ordered.size() > SHOWN) {
            details.put("more", (long) (ordered.size() - SHOWN));
        }
        return new Settled(ToolError.builder(ErrorKind.INVALID_ARGUMENTS, message.toString())
                .effect(Effect.NONE)
                .details(details)
                .build());
    }

    /**
     * The violations that are shown, as a response holds them.
     *
     * @param whole what the path of the whole is shown as
     */
    static List<Map<String, Object>> shown(Collection<Violation> violations, String whole) {
        return ordered(violations, whole).stream()
                .limit(SHOWN)
                .map(each -> each.wire(whole))
                .toList();
    }

    private static TreeSet<Violation> ordered(Collection<Violation> violations, String whole) {
        TreeSet<Violation> ordered = new TreeSet<>(order(whole));
        // Of several at one path by one rule the first to come in stays.
        violations.stream()
                .sorted(Comparator.comparing(Violation::message, CodePoints.ORDER))
                .forEach(ordered::add);
        return ordered;
    }

    private String place(String whole) {
        return path.isEmpty() ? whole : path;
    }

    private Map<String, Object> wire(String whole) {
        Map<String, Object> wire = new LinkedHashMap<>();
        wire.put("path", place(whole));
        wire.put("rule", rule);
        wire.put("message", message);
        return wire;
    }
}
