// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.contract.Misuse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A JSON Schema (2020-12) that judges plain values (clause 7.3). What {@link SchemaCheck} accepts needs no {@link
 * SchemaJudge}, which decides the rest. Safe for use by several threads.
 */
final class JsonSchema {

    private final SchemaTree tree;
    private final Shape shape;
    private final SchemaCheck.Check check;

    private JsonSchema(SchemaTree tree) {
        this.tree = tree;
        this.shape = Shape.of(tree);
        this.check = SchemaCheck.compile(tree);
    }

    /**
     * A schema that was given or derived.
     *
     * @param place what a misuse is said of
     * @param schema plain values that nobody changes
     * @throws Misuse it is no JSON Schema (2020-12) of its own, or has a pattern that is not portable
     */
    static JsonSchema of(String place, Map<String, Object> schema) {
        try {
            return of(schema);
        } catch (SchemaFault fault) {
            throw new Misuse(
                    place + " has a schema that cannot be used as JSON Schema (2020-12): " + fault.getMessage());
        }
    }

    /**
     * A schema of a server.
     *
     * @throws SchemaFault as {@link #of(String, Map)}, without a place
     */
    static JsonSchema of(Map<String, Object> schema) {
        return new JsonSchema(new SchemaTree(schema));
    }

    /** The schema as plain values. */
    SchemaTree tree() {
        return tree;
    }

    /** What the schema says of places. */
    Shape shape() {
        return shape;
    }

    /**
     * Whether a plain value is valid.
     *
     * @throws TooMuchWork a text is too long for a pattern
     */
    boolean accepts(Object value) {
        return check != null && check.accepts(value) || new SchemaJudge(tree, null).fits(tree.root(), value, "");
    }

    /**
     * What is wrong with a plain value; empty where it is valid.
     *
     * @throws TooMuchWork a text is too long for a pattern
     */
    List<Violation> violations(Object value) {
        List<Violation> found = new ArrayList<>();
        new SchemaJudge(tree, found).fits(tree.root(), value, "");
        return found;
    }
}
