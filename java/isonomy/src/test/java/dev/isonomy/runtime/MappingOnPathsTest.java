// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import dev.isonomy.bridge.BridgeEndpoint;
import dev.isonomy.contract.BridgeCall;
import dev.isonomy.contract.Envelope;
import dev.isonomy.contract.Limits;
import dev.isonomy.contract.Mapping;
import dev.isonomy.contract.Outcome;
import dev.isonomy.contract.Redactor;
import dev.isonomy.contract.SecretValues;
import dev.isonomy.contract.ResponseEvent;
import dev.isonomy.contract.ToolCall;
import dev.isonomy.contract.ToolFailure;
import dev.isonomy.contract.ToolRequest;
import dev.isonomy.contract.ToolResponse;
import dev.isonomy.tools.BoundTool;
import dev.isonomy.tools.ToolRegistry;
import dev.isonomy.vectors.ExpectedResponse;
import dev.isonomy.vectors.Fields;
import dev.isonomy.vectors.VectorTools;
import dev.isonomy.vectors.Vectors;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** A response never depends on the path (clause 3.14): the vectors of the mapping, as tools, on every path. */
final class MappingOnPathsTest {

    private static final ToolRequest TWICE = ToolRequest.of(call(), call());

    @TestFactory
    Stream<DynamicTest> everyPath() {
        return Vectors.tests("mapping", MappingOnPathsTest::check);
    }

    private static ToolCall call() {
        return ToolCall.of("tool", Map.of());
    }

    private static void check(Fields vector) {
        @SuppressWarnings("unchecked") // the keys of JSON objects are strings
        BoundTool tool = new VectorTools(0).tool("tool", (Map<String, Object>) vector.json("tool"));
        Fields options = vector.has("options") ? vector.object("options") : Fields.of("no options", Map.of());
        Limits limits = new Limits(
                ((Number) options.json("max_result_bytes", Limits.DEFAULT.maxResultBytes())).longValue(),
                (Boolean) options.json("strict_values", false));
        Fields expected = vector.object("response");
        try (ToolExecutor executor = ToolExecutor.builder()
                .tools(tool)
                .maxResultBytes(limits.maxResultBytes())
                .strictValues(limits.strictValues())
                .build()) {
            ExpectedResponse.check(expected, executor.call("tool", Map.of()));
            ExpectedResponse.check(expected, executor.call(call(), Duration.ofSeconds(60)));
            ExpectedResponse.check(expected, executor.callAsync("tool", Map.of()).get(60, TimeUnit.SECONDS));
            both(expected, executor.run(TWICE));
            both(expected, executor.run(TWICE, BatchOptions.inParallel(2)));
            both(expected, executor.runAsync(TWICE, BatchOptions.inParallel(2)).get(60, TimeUnit.SECONDS));
            ExpectedResponse.check(expected, overBytes(tool, limits));
        } catch (Exception unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    private static void both(Fields expected, ResponseEvent event) {
        event.records().forEach(record -> ExpectedResponse.check(expected, record.response()));
    }

    private static ToolResponse overBytes(BoundTool tool, Limits limits) {
        BridgeEndpoint endpoint = BridgeEndpoint.of(ToolRegistry.of(tool));
        BridgeCall call = new BridgeCall("tool", Map.of(), Map.of(), null, 1, null, limits);
        Outcome outcome = Envelope.decodeReply(endpoint.call(Envelope.encodeCall(call))).outcome();
        ToolResponse response = Mapping.toResponse(outcome);
        return response instanceof ToolFailure failure ? Redactor.DEFAULT.failure(failure, SecretValues.NONE) : response;
    }
}
