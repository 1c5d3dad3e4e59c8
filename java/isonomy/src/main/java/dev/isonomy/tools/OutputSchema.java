// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * What a server's tool promises about the structured content of its successes (clause 14.4). Safe for use by several
 * threads.
 */
public final class OutputSchema {

    private static final String WHOLE = "result";

    /** Null for a schema that cannot be used, which judges nothing. */
    private final JsonSchema schema;

    /**
     * Reads a schema; one that cannot be used judges nothing.
     *
     * @param told plain values that nobody changes
     */
    public OutputSchema(Object told) {
        this.schema = usable(told);
    }

    private static JsonSchema usable(Object told) {
        if (!(told instanceof Map<?, ?> map)) {
            return null;
        }
        try {
            return JsonSchema.of(Completion.copy(map));
        } catch (SchemaFault unusable) {
            return null;
        }
    }

    /**
     * What the structured content of a success breaks: at most 16 of {@code path}, {@code rule} and {@code message}.
     *
     * @param structured plain values, null where it is missing
     */
    public List<Map<String, Object>> violations(Object structured) {
        if (schema == null) {
            return List.of();
        }
        if (structured == null) {
            return Violation.shown(List.of(new Violation(ArgumentPath.ROOT, "required", "required")), WHOLE);
        }
        try {
            return judged(structured);
        } catch (NotPlain | TooMuchWork unjudged) {
            return List.of();
        }
    }

    private List<Map<String, Object>> judged(Object structured) throws NotPlain {
        List<Foreign> found = new ArrayList<>(0);
        Object plain = PlainValues.of(Collections.singletonMap(WHOLE, structured), found).get(WHOLE);
        if (found.isEmpty() && schema.accepts(plain)) {
            return List.of();
        }
        // Numbers that are not finite are of no type (clause 7.2).
        List<Foreign> foreign = found.stream()
                .map(each -> new Foreign(each.steps().subList(1, each.steps().size())))
                .toList();
        return Violation.shown(Arguments.foreign(schema.shape(), foreign, schema.violations(plain)), WHOLE);
    }
}
