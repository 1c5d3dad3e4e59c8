// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.isonomy.contract.ResponseEvent;
import dev.isonomy.contract.ToolCall;
import dev.isonomy.contract.ToolRequest;
import dev.isonomy.journal.SqliteJournal;
import dev.isonomy.observe.MemorySink;
import dev.isonomy.observe.Metrics;
import dev.isonomy.runtime.BatchOptions;
import dev.isonomy.runtime.ToolExecutor;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Batches in order that are kept in SQLite, WAL and FULL. Figure and reference in turn, in one process, so that both meet
 * the same disk: the reference inserts what a journal keeps of a call, by JDBC, with a commit for each row.
 *
 * <pre>{@code java -cp isonomy-bench.jar dev.isonomy.bench.DurableBench FOLDER ROUNDS CALLS}</pre>
 *
 * Prints {@code {"figure", "reference_figure", "ratio"}}, medians of the rounds, in microseconds for one call.
 */
public final class DurableBench {

    private static final int WARM_ROUNDS = 40;

    private DurableBench() {}

    /** Measures the row. */
    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        int rounds = Integer.parseInt(arguments[1]);
        int calls = Integer.parseInt(arguments[2]);
        double[][] told = new double[3][rounds];
        try (SqliteJournal journal = SqliteJournal.open(folder.resolve("journal.db"));
                ToolExecutor executor = ToolExecutor.builder()
                        .tools(NativeCallBench.Forecasts.class)
                        .sink(new Metrics())
                        .sink(new MemorySink())
                        .build();
                Raw raw = new Raw(folder.resolve("raw.db"))) {
            for (int round = -WARM_ROUNDS; round < rounds; round++) {
                boolean first = Math.floorMod(round, 2) == 0;
                double reference = first ? raw.micros(calls) : 0;
                double figure = micros(executor, journal, "batch-" + round, calls);
                reference = first ? reference : raw.micros(calls);
                if (round >= 0) {
                    told[0][round] = figure;
                    told[1][round] = reference;
                    told[2][round] = figure / reference;
                }
            }
            check(folder.resolve("journal.db"), (rounds + WARM_ROUNDS) * calls);
        }
        Map<String, Double> result = new LinkedHashMap<>();
        result.put("figure", median(told[0]));
        result.put("reference_figure", median(told[1]));
        result.put("ratio", median(told[2]));
        System.out.println(new ObjectMapper().writeValueAsString(result));
        System.exit(0);
    }

    private static double micros(ToolExecutor executor, SqliteJournal journal, String id, int calls)
            throws InterruptedException {
        List<ToolCall> batch = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            batch.add(ToolCall.of("forecast", Map.of("city", "Ulm", "days", i, "metric", false)));
        }
        ToolRequest request = new ToolRequest(id, batch);
        BatchOptions options = BatchOptions.DEFAULT.withJournal(journal);
        long began = System.nanoTime();
        ResponseEvent event = executor.run(request, options);
        double micros = (System.nanoTime() - began) / 1e3 / calls;
        if (!event.records().get(calls - 1).response().isSuccess()) {
            throw new IllegalStateException("the last call ended with " + event.records().get(calls - 1));
        }
        return micros;
    }

    private static void check(Path file, int expected) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement();
                ResultSet kept = statement.executeQuery("SELECT count(*) FROM isonomy_call WHERE record IS NOT NULL")) {
            if (kept.getInt(1) != expected) {
                throw new IllegalStateException("the journal has " + kept.getInt(1) + " calls, not " + expected);
            }
        }
    }

    /** Rows as a journal has them, each with a commit of its own. */
    private static final class Raw implements AutoCloseable {

        private static final String RECORD = "{\"v\":1,\"outcome\":\"returned\",\"value\":"
                + "{\"city\":\"Ulm\",\"days\":3,\"celsius\":false,\"high\":21.5}}";

        private final Connection connection;
        private final PreparedStatement insert;
        private final byte[] digest = new byte[32];
        private long number;

        Raw(Path file) throws SQLException {
            connection = DriverManager.getConnection("jdbc:sqlite:" + file);
            try (Statement statement = connection.createStatement()) {
                statement.execute("PRAGMA journal_mode = WAL");
                statement.execute("PRAGMA synchronous = FULL");
                statement.execute("CREATE TABLE call (number INTEGER PRIMARY KEY, tool TEXT, version TEXT, arguments BLOB,"
                        + " record TEXT, ended INTEGER)");
            }
            insert = connection.prepareStatement("INSERT INTO call VALUES (?, ?, ?, ?, ?, ?)");
        }

        double micros(int rows) throws SQLException {
            long began = System.nanoTime();
            for (int i = 0; i < rows; i++) {
                number++;
                digest[0] = (byte) number;
                insert.setLong(1, number);
                insert.setString(2, "forecast");
                insert.setString(3, "s:1ae2e58e2485224a67846a9b98123a807d8f0d79a93c6f10d493591bd48a60bf");
                insert.setBytes(4, digest);
                insert.setString(5, RECORD);
                insert.setLong(6, System.currentTimeMillis());
                insert.executeUpdate();
            }
            return (System.nanoTime() - began) / 1e3 / rows;
        }

        @Override
        public void close() throws SQLException {
            connection.close();
        }
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
