// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import dev.isonomy.contract.Limits;
import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.Redactor;
import dev.isonomy.contract.Sink;
import dev.isonomy.tools.ToolRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Collects the settings of a {@link ToolExecutor}. Not for use by several threads. */
public final class ToolExecutorBuilder {

    final List<Object> tools = new ArrayList<>();
    final List<Sink> sinks = new ArrayList<>();
    final List<Class<? extends Throwable>> signals = new ArrayList<>();
    ToolRegistry registry;
    Map<String, Object> injected = new LinkedHashMap<>();
    byte[] identityKey;
    Redactor redactor = Redactor.DEFAULT;
    int maxThreads = 64;
    long maxResultBytes = Limits.DEFAULT.maxResultBytes();
    boolean strictValues;
    Duration grace = Duration.ofSeconds(5);

    ToolExecutorBuilder() {}

    /** Adds tools, as {@link ToolRegistry#of} takes them; the executor closes the instances that it makes of classes. */
    public ToolExecutorBuilder tools(Object... more) {
        // A null is told by the registry, in a sentence.
        tools.addAll(more == null ? Collections.singletonList(null) : Arrays.asList(more));
        return this;
    }

    /** Takes the tools of a registry, which stays the caller's to close; not together with {@link #tools}. */
    public ToolExecutorBuilder registry(ToolRegistry registry) {
        this.registry = registry;
        return this;
    }

    /** Adds a value for injected parameters (clause 7.13); its text is redacted from failures (clause 12.5). */
    public ToolExecutorBuilder inject(String name, Object value) {
        injected.put(name, value);
        return this;
    }

    /** Adds values for injected parameters. */
    public ToolExecutorBuilder inject(Map<String, ?> values) {
        injected.putAll(values);
        return this;
    }

    /**
     * The key of the digests by which injected values that are marked {@code identity} count in durable batches (clause
     * J1.5). Keep it secret, and the same: batches of another key are others.
     *
     * @throws Misuse it is empty
     */
    public ToolExecutorBuilder identityKey(byte[] key) {
        if (key == null || key.length == 0) {
            throw new Misuse("identityKey is a text or bytes, and not empty; keep it secret, and the same");
        }
        this.identityKey = key.clone();
        return this;
    }

    /** The same with the UTF-8 bytes of a text. */
    public ToolExecutorBuilder identityKey(String key) {
        return identityKey(key == null ? null : key.getBytes(StandardCharsets.UTF_8));
    }

    /** Adds a consumer of events (clause 9). */
    public ToolExecutorBuilder sink(Sink sink) {
        sinks.add(sink);
        return this;
    }

    /** What takes secrets out of failures (clause 12); {@link Redactor#DEFAULT} unless set. */
    public ToolExecutorBuilder redactor(Redactor redactor) {
        this.redactor = redactor;
        return this;
    }

    /** The most threads for bodies, from 1 (clause 8.8); 64 unless set. */
    public ToolExecutorBuilder maxThreads(int maxThreads) {
        this.maxThreads = maxThreads;
        return this;
    }

    /** The most bytes of an encoded result, from 1 (clause 5.29); 16 MiB unless set. */
    public ToolExecutorBuilder maxResultBytes(long maxResultBytes) {
        this.maxResultBytes = maxResultBytes;
        return this;
    }

    /** Whether a result without a portable form fails its call (clause 5.26); not unless set. */
    public ToolExecutorBuilder strictValues(boolean strictValues) {
        this.strictValues = strictValues;
        return this;
    }

    /**
     * Registers a control signal: an exception of a framework that is no outcome, such as an interrupt for human
     * approval. It leaves the batch as it was thrown, with a {@code cancelled} event of reason {@code suspended}
     * (clause 8.10).
     */
    public ToolExecutorBuilder controlSignal(Class<? extends Throwable> signal) {
        signals.add(signal);
        return this;
    }

    /** How long {@code close} waits for queued sinks; 5 seconds unless set. */
    public ToolExecutorBuilder grace(Duration grace) {
        this.grace = grace;
        return this;
    }

    /**
     * The executor.
     *
     * @throws Misuse a setting is out of its range, or the tools are none
     */
    public ToolExecutor build() {
        if (registry != null && !tools.isEmpty()) {
            throw new Misuse("an executor has its own tools or those of a registry; give one of the two");
        }
        if (maxThreads < 1) {
            throw new Misuse("maxThreads is at least 1, got " + maxThreads);
        }
        if (redactor == null || grace == null || grace.isNegative()) {
            throw new Misuse("an executor needs a redactor and a grace that is not negative");
        }
        injected = Collections.unmodifiableMap(new LinkedHashMap<>(injected));
        return new ToolExecutor(this);
    }
}
