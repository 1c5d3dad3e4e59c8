// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What one validation of a call's arguments costs: an object with three properties. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class SchemaBench {
    private static final String SCHEMA =
            """
            {
              "type": "object",
              "properties": {
                "id": {"type": "string", "maxLength": 64},
                "amount": {"type": "integer", "minimum": 0},
                "notify": {"type": "boolean"}
              },
              "required": ["id", "amount"],
              "additionalProperties": false
            }
            """;

    private final ObjectMapper json = new ObjectMapper();
    private Schema schema;
    private JsonNode valid;
    private JsonNode invalid;

    /** Reads the schema and both sets of arguments. */
    @Setup
    public void read() throws IOException {
        schema =
                SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                        .getSchema(SCHEMA);
        valid = json.readTree("{\"id\": \"a-1\", \"amount\": 42, \"notify\": true}");
        invalid = json.readTree("{\"id\": \"a-1\", \"amount\": 1.5, \"more\": 1}");
    }

    /** Arguments that pass. */
    @Benchmark
    public Object valid() {
        return schema.validate(valid);
    }

    /** Arguments with two faults. */
    @Benchmark
    public Object invalid() {
        return schema.validate(invalid);
    }
}
