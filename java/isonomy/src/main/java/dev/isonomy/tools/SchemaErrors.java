// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import com.networknt.schema.Error;
import com.networknt.schema.path.NodePath;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The errors of the schema library as violations (clauses 7.8 to 7.10). Each error says by which keywords it was
 * reached; the walk along them, in the schema and in the value at once, ends at the keyword that is reported.
 */
final class SchemaErrors {

    /** Of what is inside these, only the keyword itself is reported, where it stands (clause 7.10). */
    private static final Set<String> COMBINING =
            Set.of("anyOf", "oneOf", "not", "if", "then", "else", "contains", "minContains", "maxContains");

    /** Keywords that lead to the same value, by themselves or with the name or index that follows them. */
    private static final Set<String> SAME_VALUE = Set.of("$ref", "$dynamicRef");
    private static final Set<String> SAME_VALUE_NAMED = Set.of("allOf", "dependentSchemas");

    /** Keywords that lead one step into the value, by themselves or with what follows them. */
    private static final Set<String> INTO = Set.of("items", "additionalProperties", "unevaluatedItems", "unevaluatedProperties");
    private static final Set<String> INTO_NAMED = Set.of("properties", "patternProperties", "prefixItems");

    private final SchemaTree tree;

    private SchemaErrors(SchemaTree tree) {
        this.tree = tree;
    }

    /** The violations, each once, in no particular order. */
    static List<Violation> violations(List<Error> errors, SchemaTree tree) {
        SchemaErrors reading = new SchemaErrors(tree);
        Set<Violation> violations = new LinkedHashSet<>();
        for (Error error : errors) {
            violations.add(reading.violation(error));
        }
        return List.copyOf(violations);
    }

    private Violation violation(Error error) {
        NodePath keywords = error.getEvaluationPath();
        List<Object> value = new ArrayList<>();
        Object schema = tree.root();
        for (int i = 0; i < keywords.getNameCount(); i++) {
            String keyword = String.valueOf(keywords.getElement(i));
            boolean last = i == keywords.getNameCount() - 1;
            boolean named = INTO_NAMED.contains(keyword) || SAME_VALUE_NAMED.contains(keyword);
            if (COMBINING.contains(keyword)) {
                return combining(keyword, value);
            }
            if (last || !named && !INTO.contains(keyword) && !SAME_VALUE.contains(keyword)) {
                return innermost(keyword, schema, value, error);
            }
            schema = below(schema, keyword, named ? keywords.getElement(++i) : null);
            if (INTO.contains(keyword) || INTO_NAMED.contains(keyword)) {
                value.add(error.getInstanceLocation().getElement(value.size()));
            }
        }
        return innermost(error.getKeyword(), schema, value, error);
    }

    private Object below(Object schema, String keyword, Object name) {
        if (!(schema instanceof Map<?, ?> map)) {
            return null;
        }
        Object inner = map.get(keyword);
        if (SAME_VALUE.contains(keyword)) {
            return inner instanceof String reference ? tree.resolve(reference) : null;
        }
        if (name != null && inner instanceof Map<?, ?> members) {
            return members.get(String.valueOf(name));
        }
        return name != null && inner instanceof List<?> members ? members.get(Integer.parseInt(String.valueOf(name))) : inner;
    }

    private static Violation combining(String keyword, List<Object> value) {
        String reported = switch (keyword) {
            case "then", "else" -> "if";
            case "minContains", "maxContains" -> "contains";
            default -> keyword;
        };
        return new Violation(ArgumentPath.of(value), reported, RuleMessage.of(reported, null));
    }

    private static Violation innermost(String keyword, Object schema, List<Object> value, Error error) {
        List<Object> steps = new ArrayList<>(value);
        String rule = keyword;
        if (error.getProperty() != null
                && (keyword.equals("required")
                        || keyword.equals("additionalProperties")
                        || keyword.equals("unevaluatedProperties"))) {
            steps.add(error.getProperty());
        }
        if (schema instanceof Boolean || keyword.equals("false")) {
            rule = "false";
        }
        Object said = schema instanceof Map<?, ?> map ? map.get(rule) : null;
        return new Violation(ArgumentPath.of(steps), rule, RuleMessage.of(rule, said));
    }
}
