// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.time.Duration;
import java.util.Optional;

/** A context for tests that invoke a tool without a runtime. */
public final class NoContext implements ToolContext {
    @Override
    public String callId() {
        return null;
    }

    @Override
    public String tool() {
        return "test";
    }

    @Override
    public int attempt() {
        return 1;
    }

    @Override
    public Optional<Duration> remaining() {
        return Optional.empty();
    }

    @Override
    public boolean cancelled() {
        return false;
    }

    @Override
    public void progress(double progress, Double total, String message) {
        // nobody watches
    }

    @Override
    public System.Logger logger() {
        return System.getLogger(NoContext.class.getName());
    }
}
