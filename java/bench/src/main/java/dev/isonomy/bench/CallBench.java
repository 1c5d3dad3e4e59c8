// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.bench;

import dev.isonomy.bridge.BridgeEndpoint;
import dev.isonomy.contract.BridgeCall;
import dev.isonomy.contract.Envelope;
import dev.isonomy.contract.Limits;
import dev.isonomy.contract.ToolResponse;
import dev.isonomy.observe.MemorySink;
import dev.isonomy.observe.Metrics;
import dev.isonomy.runtime.ToolExecutor;
import dev.isonomy.tools.Tool;
import dev.isonomy.tools.ToolRegistry;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** What one call of a Java tool costs: in the Java executor, and behind the bytes of a host. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class CallBench {

    /** The tool that is called. */
    public static final class Orders {
        /** A line of an order. */
        public record Line(String sku, int count) {}

        private Orders() {}

        /** Counts what was ordered. */
        @Tool
        public static Map<String, Object> order(String id, long amount, boolean notify, List<Line> lines) {
            int count = 0;
            for (Line line : lines) {
                count += line.count();
            }
            return Map.of("id", id, "amount", amount, "count", count);
        }

        /** Fails. */
        @Tool
        public static Map<String, Object> fail(String id) {
            throw new IllegalStateException("no stock", new RuntimeException("database", new RuntimeException("disk")));
        }
    }

    private static final Map<String, Object> ARGUMENTS = Map.of(
            "id", "0b5c8f7e-6b0a-4a53-9d5e-1f0b8a0c2d11",
            "amount", 4200L,
            "notify", true,
            "lines", List.of(Map.of("sku", "a-1", "count", 2L), Map.of("sku", "b-22", "count", 40L)));

    private ToolExecutor executor;
    private BridgeEndpoint endpoint;
    private byte[] request;
    private byte[] failing;

    /** Opens an executor with the sinks of a plain host, and an endpoint. */
    @Setup
    public void open() {
        executor = ToolExecutor.builder().tools(Orders.class).sink(new Metrics()).sink(new MemorySink()).build();
        endpoint = BridgeEndpoint.of(ToolRegistry.of(Orders.class));
        request = Envelope.encodeCall(new BridgeCall("order", ARGUMENTS, Map.of(), "c1", 1, null, Limits.DEFAULT));
        failing = Envelope.encodeCall(
                new BridgeCall("fail", Map.of("id", "a"), Map.of(), "c1", 1, null, Limits.DEFAULT));
    }

    /** Closes both. */
    @TearDown
    public void close() {
        executor.close();
        endpoint.close();
    }

    /** One validated call in the Java executor, metrics and memory sink on: {@code java-native-call}. */
    @Benchmark
    public ToolResponse nativeCall() throws InterruptedException {
        return executor.call("order", ARGUMENTS);
    }

    /** The Java side of one call from another language. */
    @Benchmark
    public byte[] overBytes() {
        return endpoint.call(request);
    }

    /** The same failing with two causes. */
    @Benchmark
    public byte[] failureOverBytes() {
        return endpoint.call(failing);
    }
}
