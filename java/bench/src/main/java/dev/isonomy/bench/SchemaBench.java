// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.bench;

import dev.isonomy.runtime.ToolExecutor;
import dev.isonomy.tools.BoundTool;
import java.util.List;
import java.util.Map;
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

/** What a call with three arguments costs, whose body does nothing: mostly their validation. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class SchemaBench {
    private ToolExecutor tools;
    private Map<String, Object> valid;
    private Map<String, Object> invalid;

    /** Makes the tool and both sets of arguments. */
    @Setup
    public void read() {
        tools = ToolExecutor.of(BoundTool.named("order")
                .schema(Map.of(
                        "type", "object",
                        "properties", Map.of(
                                "id", Map.of("type", "string", "maxLength", 64),
                                "amount", Map.of("type", "integer", "minimum", 0),
                                "notify", Map.of("type", "boolean")),
                        "required", List.of("id", "amount"),
                        "additionalProperties", false))
                .body((arguments, context) -> true));
        valid = Map.of("id", "a-1", "amount", 42, "notify", true);
        invalid = Map.of("id", "a-1", "amount", 1.5, "more", 1);
    }

    /** Arguments that pass. */
    @Benchmark
    public Object valid() throws InterruptedException {
        return tools.call("order", valid);
    }

    /** Arguments with two faults. */
    @Benchmark
    public Object invalid() throws InterruptedException {
        return tools.call("order", invalid);
    }
}
