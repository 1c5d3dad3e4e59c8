// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.isonomy.contract.Mapping;
import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.Outcome;
import dev.isonomy.contract.Portable;
import dev.isonomy.contract.ToolFailure;
import dev.isonomy.contract.ToolResponse;
import dev.isonomy.contract.Wire;
import dev.isonomy.tools.BoundTool;
import dev.isonomy.tools.OutputSchema;
import dev.isonomy.tools.ToolRegistry;
import dev.isonomy.vectors.ExpectedResponse;
import dev.isonomy.vectors.Fields;
import dev.isonomy.vectors.ReadsVectors;
import dev.isonomy.vectors.SameJson;
import dev.isonomy.vectors.Vectors;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** What raw replies and lists of servers become, and the names of tools. */
@ReadsVectors("mcp")
final class McpVectorsTest {

    @TestFactory
    Stream<DynamicTest> mcp() {
        return Vectors.tests("mcp", McpVectorsTest::check);
    }

    private static void check(Fields vector) {
        if (vector.has("reply")) {
            Outcome outcome = outcome(vector, vector.text("reply"));
            ExpectedResponse.check(vector.object("response"), Mapping.toResponse(outcome));
        } else if (vector.has("serve")) {
            readBack(vector);
        } else if (vector.has("pages")) {
            listed(vector);
        } else if (vector.has("sources")) {
            qualified(vector);
        } else {
            forModels(
                    vector.has("name") ? List.of(vector.text("name")) : texts(vector.list("names")),
                    vector.has("name") ? List.of(vector.text("model_name")) : texts(vector.list("model_names")));
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** As of the body of an answer of status 200. */
    private static Outcome outcome(Fields vector, String reply) {
        OutputSchema output = vector.has("output_schema")
                ? new OutputSchema(Portable.decodePlain(Vectors.text(vector.json("output_schema"))))
                : null;
        Map<String, Object> read = Messages.read(utf8(reply));
        return read == null ? Replies.unreadable() : Replies.read(read, output);
    }

    /** How a server makes such a result is for the language that has one. */
    private static void readBack(Fields vector) {
        vector.json("options", null);
        ToolResponse served = Wire.decodeResponse(utf8(vector.text("serve")));
        if (served instanceof ToolFailure failure) {
            served = new ToolFailure(failure.error().toBuilder().trace(null).build(), failure.content(), failure.meta());
        }
        ToolResponse expected = vector.has("back") ? Wire.decodeResponse(utf8(vector.text("back"))) : served;
        Outcome outcome = outcome(vector, "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":" + vector.text("mcp") + "}");
        SameJson.check(
                new String(Wire.encode(expected), StandardCharsets.UTF_8),
                new String(Wire.encode(Mapping.toResponse(outcome)), StandardCharsets.UTF_8),
                "back");
    }

    private static void listed(Fields vector) {
        Iterator<?> pages = vector.list("pages").iterator();
        List<Object> cursors = new ArrayList<>(Collections.singletonList(null));
        Listing.Ask ask = (method, params) -> {
            assertEquals("tools/list", method);
            assertEquals(cursors.get(cursors.size() - 1), params.get("cursor"));
            Map<String, Object> page = Messages.read(utf8((String) pages.next()));
            cursors.add(page.get("nextCursor"));
            return page;
        };
        ServerLog log = new ServerLog("\"s\"");
        if (vector.has("unreachable")) {
            assertEquals(true, vector.bool("unreachable"));
            assertThrows(Unreachable.class, () -> Listing.tools(ask, log));
            return;
        }
        try {
            assertEquals(texts(vector.list("names")), List.copyOf(Listing.tools(ask, log).keySet()));
        } catch (Unreachable | InterruptedException failed) {
            throw new AssertionError(failed);
        }
    }

    private static void qualified(Fields vector) {
        List<Object> sources = new ArrayList<>();
        for (Fields source : vector.objects("sources")) {
            String server = (String) source.json("server");
            sources.add(texts(source.list("tools")).stream().map(name -> tool(server, name)).toList());
        }
        if (vector.has("misuse")) {
            assertEquals(true, vector.bool("misuse"));
            assertThrows(Misuse.class, () -> ToolRegistry.of(sources.toArray()));
            return;
        }
        List<String> names = new ArrayList<>();
        vector.list("names").forEach(each -> names.addAll(texts((List<?>) each)));
        ToolRegistry registry = ToolRegistry.of(sources.toArray());
        assertEquals(names, registry.all().stream().map(tool -> tool.spec().name()).toList());
    }

    private static BoundTool tool(String server, String name) {
        return server == null
                ? BoundTool.named(name).schema(Map.of()).body((arguments, context) -> null)
                : new McpTool(null, server, name, Map.of(), null);
    }

    private static void forModels(List<String> names, List<String> modelNames) {
        ModelNames mapping = ModelNames.of(names);
        assertEquals(modelNames, names.stream().map(mapping::model).toList());
        assertEquals(names, modelNames.stream().map(mapping::original).toList());
    }

    private static List<String> texts(List<?> list) {
        return list.stream().map(String.class::cast).toList();
    }
}
