// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.observe;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** A histogram of latencies with fixed buckets. Safe for use by several threads. */
public final class Latency {

    private static final long[] BOUNDS = {
        10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
        2_500_000, 5_000_000, 10_000_000
    };

    /** The upper bounds of the buckets, in microseconds, inclusive; a last bucket takes what is longer. */
    public static final List<Long> BOUNDS_US = Arrays.stream(BOUNDS).boxed().toList();

    private final LongAdder[] buckets = new LongAdder[BOUNDS.length + 1];
    private final LongAdder sumUs = new LongAdder();

    Latency() {
        Arrays.setAll(buckets, any -> new LongAdder());
    }

    void add(long durationUs) {
        int at = Arrays.binarySearch(BOUNDS, durationUs);
        buckets[at >= 0 ? at : -at - 1].increment();
        sumUs.add(durationUs);
    }

    MetricsSnapshot.Latencies snapshot() {
        List<Long> counts = new ArrayList<>(buckets.length);
        long count = 0;
        for (LongAdder bucket : buckets) {
            counts.add(bucket.sum());
            count += counts.get(counts.size() - 1);
        }
        return new MetricsSnapshot.Latencies(counts, count, sumUs.sum());
    }
}
