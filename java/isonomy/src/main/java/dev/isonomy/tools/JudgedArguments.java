// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.contract.Misuse;
import java.util.Map;

/**
 * Arguments on their way to a server, judged here by the schema that it told (clause 14.8). Safe for use by several
 * threads.
 */
public final class JudgedArguments {

    private final Map<String, Object> schema;
    private final Arguments arguments;
    private final Completion completion;

    /**
     * Reads a schema.
     *
     * @param told plain values that nobody changes; null allows every object
     * @throws Misuse it cannot be used; the message is the reason
     */
    public JudgedArguments(Object told) {
        if (told != null && !(told instanceof Map)) {
            throw new Misuse("it is no object");
        }
        this.schema = told == null ? Map.of("type", "object") : Completion.copy((Map<?, ?>) told);
        JsonSchema read;
        try {
            read = JsonSchema.of(schema);
        } catch (SchemaFault fault) {
            throw new Misuse(fault.getMessage());
        }
        if (!"object".equals(schema.getOrDefault("type", "object"))) {
            throw new Misuse("its type is not object");
        }
        this.arguments = new Arguments("a tool of a server", read, Map.of());
        this.completion = new Completion(read.tree(), read.shape());
    }

    /** The schema. */
    public Map<String, Object> schema() {
        return schema;
    }

    /**
     * The valid arguments of an invocation, which the caller may keep: plain values, with the defaults of those that are
     * absent.
     *
     * @throws SentArguments.Refused they are not valid
     */
    public Map<String, Object> read(Invocation invocation) throws SentArguments.Refused {
        try {
            return completion.of(Boundary.read(arguments, invocation));
        } catch (Arguments.Refused refused) {
            throw new SentArguments.Refused(refused.outcome());
        }
    }
}
