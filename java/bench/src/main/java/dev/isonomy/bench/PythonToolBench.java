// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.isonomy.observe.MemorySink;
import dev.isonomy.observe.Metrics;
import dev.isonomy.python.PythonTools;
import dev.isonomy.runtime.ToolExecutor;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Python tools in a Java host. Figure and reference in turn, in one process, so that both meet the same machine.
 *
 * <pre>{@code java -cp isonomy-bench.jar dev.isonomy.bench.PythonToolBench ROW PYTHON FOLDER ROUNDS CALLS}</pre>
 *
 * Prints {@code {"figure", "reference_figure", "ratio"}}, medians of the rounds, in microseconds or milliseconds.
 */
public final class PythonToolBench {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int WARM = 30_000;
    private static final int THREADS = 64;
    private static final double NAP_MILLIS = 5;

    private PythonToolBench() {}

    /** Measures one row. */
    public static void main(String[] arguments) throws Exception {
        Path python = Path.of(arguments[1]);
        Path folder = Path.of(arguments[2]);
        int rounds = Integer.parseInt(arguments[3]);
        int calls = Integer.parseInt(arguments[4]);
        PythonTools.Builder builder = PythonTools.module("worked").python(python).path(folder);
        boolean threads = arguments[0].equals("java-threads-64");
        try (PythonTools tools = builder.workers(threads ? 2 : 1).start();
                ToolExecutor executor = ToolExecutor.builder()
                        .tools(tools.tools())
                        .sink(new Metrics())
                        .sink(new MemorySink())
                        .build()) {
            double[][] told = threads ? naps(executor, rounds, calls) : totals(executor, python, folder, rounds, calls);
            Map<String, Double> result = new LinkedHashMap<>();
            result.put("figure", median(told[0]));
            result.put("reference_figure", median(told[1]));
            result.put("ratio", median(told[2]));
            System.out.println(JSON.writeValueAsString(result));
        }
        System.exit(0);
    }

    // One call ------------------------------------------------------------------------------------

    private static double[][] totals(ToolExecutor executor, Path python, Path folder, int rounds, int calls)
            throws Exception {
        Map<String, Object> order = order();
        double[][] told = new double[3][rounds];
        try (Bare bare = new Bare(python, folder)) {
            for (int round = -WARM / calls; round < rounds; round++) {
                boolean first = Math.floorMod(round, 2) == 0;
                double reference = first ? bare.micros(order, calls) : 0;
                long began = System.nanoTime();
                for (int i = 0; i < calls; i++) {
                    executor.call("total", order);
                }
                double figure = (System.nanoTime() - began) / 1e3 / calls;
                reference = first ? reference : bare.micros(order, calls);
                if (round >= 0) {
                    told[0][round] = figure;
                    told[1][round] = reference;
                    told[2][round] = figure / reference;
                }
            }
            Map<?, ?> ours = (Map<?, ?>) executor.call("total", order).unwrap();
            if (!ours.get("total").equals(25.25) || !bare.call(order).get("currency").equals("EUR")) {
                throw new IllegalStateException("a side does something else: " + ours);
            }
        }
        return told;
    }

    /** 200 bytes as JSON. */
    private static Map<String, Object> order() {
        Map<String, Object> order = new LinkedHashMap<>();
        order.put("customer", "customer-10017");
        order.put("currency", "EUR");
        order.put("items", List.of(
                item("A-1", "Screwdriver, flat, 4 mm", 3, 4.25), item("B-22", "Hammer, 300 g", 1, 12.5)));
        return order;
    }

    private static Map<String, Object> item(String sku, String title, int quantity, double price) {
        Map<String, Object> item = new LinkedHashMap<>();
        item.put("sku", sku);
        item.put("title", title);
        item.put("quantity", quantity);
        item.put("price", price);
        return item;
    }

    /** The same work over a Unix socket by hand: JSON on both sides, no schema, no envelope. */
    private static final class Bare implements AutoCloseable {
        private final Process process;
        private final SocketChannel channel;
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);

        Bare(Path python, Path folder) throws IOException {
            Path path = Files.createTempDirectory("isonomy-bench-").resolve("s");
            try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
                server.bind(UnixDomainSocketAddress.of(path));
                process = new ProcessBuilder(
                                python.toString(), folder.resolve("bare_echo.py").toString(), path.toString())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
                channel = server.accept();
            } finally {
                Files.deleteIfExists(path);
                Files.deleteIfExists(path.getParent());
            }
        }

        double micros(Map<String, Object> order, int calls) throws IOException {
            long began = System.nanoTime();
            for (int i = 0; i < calls; i++) {
                call(order);
            }
            return (System.nanoTime() - began) / 1e3 / calls;
        }

        Map<?, ?> call(Map<String, Object> order) throws IOException {
            byte[] request = JSON.writeValueAsBytes(order);
            buffer.clear().putInt(request.length).put(request).flip();
            channel.write(buffer);
            buffer.clear();
            channel.read(buffer);
            byte[] reply = new byte[buffer.flip().getInt()];
            buffer.get(reply);
            return JSON.readValue(reply, Map.class);
        }

        @Override
        public void close() throws IOException {
            channel.close();
            process.destroy();
        }
    }

    // 64 threads ----------------------------------------------------------------------------------

    private static double[][] naps(ToolExecutor executor, int rounds, int calls) throws InterruptedException {
        double[][] told = new double[3][rounds];
        double ideal = calls * NAP_MILLIS;
        for (int round = -1; round < rounds; round++) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                threads.add(new Thread(() -> nap(executor, calls)));
            }
            long began = System.nanoTime();
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            double wall = (System.nanoTime() - began) / 1e6;
            if (round >= 0) {
                told[0][round] = wall;
                told[1][round] = ideal;
                told[2][round] = wall / ideal;
            }
        }
        return told;
    }

    private static void nap(ToolExecutor executor, int calls) {
        for (int i = 0; i < calls; i++) {
            try {
                executor.call("nap", Map.of()).unwrap();
            } catch (InterruptedException cancelled) {
                throw new IllegalStateException(cancelled);
            }
        }
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
