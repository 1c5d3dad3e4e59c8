// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaException;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.dialect.Dialects;
import dev.isonomy.contract.Misuse;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A JSON Schema (2020-12) that judges plain values (clause 7.3). The schema library is the arbiter; what {@link
 * SchemaCheck} accepts needs no asking. Safe for use by several threads.
 */
final class JsonSchema {

    /** References resolve inside the schema only: whatever a loader would fetch is refused. */
    private static final SchemaRegistry REGISTRY = SchemaRegistry.withDialect(
            SchemaDialect.DIALECT,
            builder -> builder.schemaCacheEnabled(false)
                    .schemaRegistryConfig(SchemaRegistryConfig.builder()
                            .formatAssertionsEnabled(false)
                            .build())
                    .schemaLoader(loader -> loader.block(any -> true)));

    /** The schema of schemas; read where somebody gives a schema, which many programs never do. */
    private static final class Meta {
        private static final Schema SCHEMA = SchemaRegistry.withDialect(Dialects.getDraft202012())
                .getSchema(SchemaLocation.of(Dialects.getDraft202012().getId()));
    }

    private final String place;
    private final SchemaTree tree;
    private final SchemaCheck.Check check;
    private volatile Schema library;

    private JsonSchema(String place, Map<String, Object> schema) {
        this.place = place;
        // Every schema is read as 2020-12, whatever it says of itself (clause 7.3).
        Map<String, Object> undeclared = new LinkedHashMap<>(schema);
        undeclared.remove("$schema");
        this.tree = new SchemaTree(undeclared);
        this.check = SchemaCheck.compile(tree);
    }

    /**
     * A schema that this library derived.
     *
     * @param place what a misuse is said of
     */
    static JsonSchema of(String place, Map<String, Object> schema) {
        return new JsonSchema(place, schema);
    }

    /**
     * A schema that a user gave.
     *
     * @throws Misuse it is no JSON Schema of 2020-12, or refers to what it does not hold
     */
    static JsonSchema given(String place, Map<String, Object> schema) {
        List<?> faults = Meta.SCHEMA.validate(SchemaNodes.of(schema));
        if (!faults.isEmpty()) {
            throw new Misuse(place + " has an input schema that is no JSON Schema (2020-12): " + faults.get(0));
        }
        JsonSchema given = new JsonSchema(place, schema);
        given.library();
        return given;
    }

    /** The schema as plain values. */
    SchemaTree tree() {
        return tree;
    }

    /** Whether a plain value is valid. */
    boolean accepts(Object value) {
        return acceptsAtOnce(value) || violations(value).isEmpty();
    }

    /** Whether a plain value is valid and the compiled check can tell; false means that the library must be asked. */
    boolean acceptsAtOnce(Object value) {
        return check != null && check.accepts(value);
    }

    /** What is wrong with a plain value; empty where it is valid. */
    List<Violation> violations(Object value) {
        return SchemaErrors.violations(library().validate(SchemaNodes.of(value)), tree);
    }

    /** What the library made of the schema: made when it is first asked, since valid calls may never ask. */
    private Schema library() {
        Schema made = library;
        if (made == null) {
            try {
                made = REGISTRY.getSchema(SchemaNodes.of(tree.root()));
                made.initializeValidators();
            } catch (SchemaException | IllegalArgumentException broken) {
                throw new Misuse(place + " has a schema that cannot be used: " + broken.getMessage());
            }
            library = made;
        }
        return made;
    }
}
