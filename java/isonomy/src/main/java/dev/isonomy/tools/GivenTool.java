// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A tool whose schema was given and decides alone (clause 7.3). */
final class GivenTool implements BoundTool {

    private final ToolSpec spec;
    private final Arguments arguments;
    private final Completion completion;
    private final ToolBuilder.Body body;

    GivenTool(ToolSpec spec, ToolBuilder.Body body) {
        this.spec = spec;
        String place = "tool \"" + spec.name() + "\"";
        JsonSchema schema = JsonSchema.of(place, spec.inputSchema());
        if (!"object".equals(spec.inputSchema().getOrDefault("type", "object"))) {
            throw new Misuse(place + ": the schema of its arguments has the type object, no other");
        }
        this.arguments = new Arguments(place, schema, spec.injected());
        this.completion = new Completion(schema.tree(), schema.shape());
        this.body = body;
    }

    /** A schema that a user gave, as plain values of ours that nobody else changes. */
    static Map<String, Object> plain(String tool, Map<String, ?> schema) {
        if (schema == null) {
            throw new Misuse("tool \"" + tool + "\" has no input schema; give it one, at least {}");
        }
        try {
            List<Foreign> foreign = new ArrayList<>(0);
            Map<?, ?> plain = PlainValues.of(schema, foreign);
            if (foreign.isEmpty()) {
                return Completion.copy(plain);
            }
        } catch (NotPlain notPlain) {
            // said below
        }
        throw new Misuse("tool \"" + tool + "\" has an input schema that is not plain JSON;"
                + " use maps with texts as keys, lists, texts, numbers, booleans and null");
    }

    @Override
    public ToolSpec spec() {
        return spec;
    }

    @Override
    public Outcome invoke(Invocation invocation) {
        Map<String, Object> values;
        try {
            values = completion.of(Boundary.read(arguments, invocation));
            for (Map.Entry<String, InjectedParameter> each : spec.injected().entrySet()) {
                values.put(each.getKey(), HostValue.named(each.getValue(), each.getKey(), invocation.injected()));
            }
        } catch (Arguments.Refused refused) {
            return refused.outcome();
        } catch (HostValue.Missing missing) {
            return missing.outcome();
        }
        return Boundary.run(() -> body.call(values, invocation.context()), invocation.passing());
    }
}
