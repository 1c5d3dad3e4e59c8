// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.bench;

import dev.isonomy.contract.ToolResponse;
import dev.isonomy.observe.MemorySink;
import dev.isonomy.observe.Metrics;
import dev.isonomy.runtime.ToolExecutor;
import dev.isonomy.tools.Tool;
import dev.isonomy.tools.ToolParam;
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

/**
 * What one call of a Java tool costs in the Java executor, validated and with the sinks of the main job: metrics and
 * the in-memory sink.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 10, time = 1)
@Measurement(iterations = 9, time = 1)
public class NativeCallBench {

    private ToolExecutor executor;
    private Map<String, Object> arguments;

    /** Makes the executor and checks that the call does what is to be measured. */
    @Setup
    public void open() throws InterruptedException {
        executor = ToolExecutor.builder()
                .tools(Forecasts.class)
                .sink(new Metrics())
                .sink(new MemorySink())
                .build();
        arguments = Map.of("city", "Ulm", "days", 3, "metric", false);
        Object result = executor.call("forecast", arguments).unwrap();
        if (!new Forecast("Ulm", 3, false, 21.5).equals(result)) {
            throw new IllegalStateException("the forecast was " + result);
        }
    }

    /** Closes the executor. */
    @TearDown
    public void close() {
        executor.close();
    }

    /** One call that succeeds. */
    @Benchmark
    public ToolResponse call() throws InterruptedException {
        return executor.call("forecast", arguments);
    }

    /** What the tool gives. */
    public record Forecast(String city, int days, boolean celsius, double high) {}

    /** The tool that is called, the twin of the one that the Python rows call. */
    public static final class Forecasts {

        private Forecasts() {}

        /** Tells the weather of the next days. */
        @Tool(description = "Tell the weather of the next days.")
        public static Forecast forecast(
                @ToolParam(name = "city") String city,
                @ToolParam(name = "days") int days,
                @ToolParam(name = "metric", defaultValue = "true") boolean metric) {
            return new Forecast(city, days, metric, 21.5);
        }
    }
}
