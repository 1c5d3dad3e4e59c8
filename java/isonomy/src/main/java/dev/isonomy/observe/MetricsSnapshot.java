// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.observe;

import dev.isonomy.contract.ErrorKind;
import java.util.List;
import java.util.Map;

/**
 * Metrics at one moment (clause 9.4). A reused call counts in {@code reused} only.
 *
 * @param calls how many calls ended, by tool, server and kind
 * @param latency the latencies of executed calls, by tool
 * @param inFlight how many calls have started and not ended
 * @param reused how many calls a stored outcome answered
 * @param retries how many further attempts there were
 * @param cancelled how many calls were cancelled
 * @param lateResults how many bodies ended after their call had
 * @param droppedEvents how many events sinks did not take
 */
public record MetricsSnapshot(
        Map<Key, Long> calls,
        Map<String, Latencies> latency,
        long inFlight,
        long reused,
        long retries,
        long cancelled,
        long lateResults,
        long droppedEvents) {

    /** Copies the maps. */
    public MetricsSnapshot {
        calls = Map.copyOf(calls);
        latency = Map.copyOf(latency);
    }

    /**
     * What calls are counted by.
     *
     * @param tool the name of the tool; empty for names that no tool has, which are counted together
     * @param server the server that the tool belongs to, or null
     * @param kind the kind of a failure, its {@code error.type}; null for a success
     */
    public record Key(String tool, String server, ErrorKind kind) {

        /** Whether the calls succeeded. */
        public boolean isSuccess() {
            return kind == null;
        }
    }

    /**
     * Latencies of one tool.
     *
     * @param buckets how many calls took at most the bound at the same place of {@link Latency#BOUNDS_US}, and in the
     *     last bucket how many took longer
     * @param count how many calls there were
     * @param sumUs how long they took together, in microseconds
     */
    public record Latencies(List<Long> buckets, long count, long sumUs) {
        /** Copies the buckets. */
        public Latencies {
            buckets = List.copyOf(buckets);
        }
    }

    /** How many calls of a tool succeeded. */
    public long succeeded(String tool) {
        return count(tool, true);
    }

    /** How many calls of a tool failed. */
    public long failed(String tool) {
        return count(tool, false);
    }

    private long count(String tool, boolean success) {
        return calls.entrySet().stream()
                .filter(entry -> entry.getKey().tool().equals(tool) && entry.getKey().isSuccess() == success)
                .mapToLong(Map.Entry::getValue)
                .sum();
    }
}
