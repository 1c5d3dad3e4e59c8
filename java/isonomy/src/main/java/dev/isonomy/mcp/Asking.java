// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;

/** Requests to a server that are no calls; all of them have one time together (clause 14.20). For one thread. */
final class Asking implements Listing.Ask {

    private final Connection connection;
    private final Duration time;
    private final long endsAt;

    Asking(Connection connection, Duration time) {
        this.connection = connection;
        this.time = time;
        this.endsAt = System.nanoTime() + time.toNanos();
    }

    /** What is left of the time, at least zero. */
    Duration left() {
        return Duration.ofNanos(Math.max(0, endsAt - System.nanoTime()));
    }

    @Override
    public Map<?, ?> result(String method, Map<String, ?> params) throws Unreachable, InterruptedException {
        return Listing.result(reply(method, params), method);
    }

    /**
     * The reply to a request.
     *
     * @throws Unreachable there is none
     */
    Map<String, Object> reply(String method, Map<String, ?> params) throws Unreachable, InterruptedException {
        Ended ended = connection.call(Request.of(method, params), null, left());
        if (ended instanceof Ended.Replied replied) {
            return replied.reply();
        }
        if (ended instanceof Ended.Lost lost) {
            throw new Unreachable(lost.settled().error().message());
        }
        if (ended instanceof Ended.NotSent not) {
            throw new Unreachable(not.reason());
        }
        if (ended instanceof Ended.SessionOver) {
            throw Unreachable.sessionOver();
        }
        throw new Unreachable("it did not answer " + method + " in " + seconds() + " seconds");
    }

    /** Seconds as a person writes them: 30, 0.5. */
    private String seconds() {
        return new BigDecimal(time.toMillis()).movePointLeft(3).stripTrailingZeros().toPlainString();
    }
}
