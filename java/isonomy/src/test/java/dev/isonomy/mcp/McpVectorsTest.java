// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.isonomy.contract.Mapping;
import dev.isonomy.contract.Portable;
import dev.isonomy.tools.OutputSchema;
import dev.isonomy.vectors.ExpectedResponse;
import dev.isonomy.vectors.Fields;
import dev.isonomy.vectors.ReadsVectors;
import dev.isonomy.vectors.Vectors;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** What raw replies of servers become, and the names that model APIs see. */
@ReadsVectors("mcp")
final class McpVectorsTest {

    @TestFactory
    Stream<DynamicTest> mcp() {
        return Vectors.tests("mcp", McpVectorsTest::check);
    }

    private static void check(Fields vector) {
        if (vector.has("name")) {
            String name = vector.text("name");
            ModelNames names = ModelNames.of(List.of(name));
            assertEquals(vector.text("model_name"), names.model(name));
            assertEquals(name, names.original(vector.text("model_name")));
            return;
        }
        Map<String, Object> reply = Messages.read(vector.text("reply").getBytes(StandardCharsets.UTF_8));
        assertNotNull(reply);
        OutputSchema output = vector.has("output_schema")
                ? new OutputSchema(Portable.decodePlain(Vectors.text(vector.json("output_schema"))))
                : null;
        ExpectedResponse.check(vector.object("response"), Mapping.toResponse(Replies.read(reply, output)));
    }
}
