// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.bridge.workers;

import dev.isonomy.contract.BridgeCall;
import dev.isonomy.contract.BridgeReply;
import dev.isonomy.contract.BrokenWireException;
import dev.isonomy.contract.Effect;
import dev.isonomy.contract.Envelope;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Frame;
import dev.isonomy.contract.FrameType;
import dev.isonomy.contract.Limits;
import dev.isonomy.contract.Outcome;
import dev.isonomy.contract.Portable;
import dev.isonomy.contract.PortableException;
import dev.isonomy.contract.Progress;
import dev.isonomy.contract.Settled;
import dev.isonomy.tools.BoundTool;
import dev.isonomy.tools.Boundary;
import dev.isonomy.tools.InjectedParameter;
import dev.isonomy.tools.Invocation;
import dev.isonomy.tools.SentArguments;
import dev.isonomy.tools.ToolContext;
import dev.isonomy.tools.ToolSpec;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A tool whose body runs in a worker. The call crosses as bytes and its outcome comes back as one envelope (clause 10);
 * arguments are validated there.
 */
final class WorkerTool implements BoundTool {

    private static final Limits STRICT = new Limits(Long.MAX_VALUE, true);

    private final ToolSpec spec;
    private final boolean wantsContext;
    private final WorkerPool pool;
    private final SentArguments arguments;

    private WorkerTool(ToolSpec spec, boolean wantsContext, WorkerPool pool) {
        this.spec = spec;
        this.wantsContext = wantsContext;
        this.pool = pool;
        this.arguments = new SentArguments(spec.inputSchema());
    }

    /** The tool of a description (W3.4). */
    static WorkerTool of(Map<String, Object> told, String language, WorkerPool pool) {
        Map<String, InjectedParameter> injected = new LinkedHashMap<>();
        Map<?, ?> marks = field(told, "injected", Map.class);
        marks.forEach((parameter, mark) -> {
            if (!(mark instanceof Map<?, ?> source)
                    || !(source.get("name") instanceof String name)
                    || !(source.get("identity") instanceof Boolean identity)) {
                throw new BrokenWireException("a description of a tool whose injected values are none");
            }
            injected.put((String) parameter, new InjectedParameter(name, identity, !Boolean.FALSE.equals(source.get("secret"))));
        });
        @SuppressWarnings("unchecked") // the keys of plain JSON are strings
        Map<String, Object> schema = field(told, "input_schema", Map.class);
        ToolSpec spec = new ToolSpec(
                field(told, "name", String.class),
                field(told, "description", String.class),
                schema,
                injected,
                told.get("version") instanceof String version ? version : null,
                told.get("max_parallel") instanceof Long most ? (int) Math.min(most, Integer.MAX_VALUE) : 0,
                told.get("deadline_ms") instanceof Long millis ? Duration.ofMillis(millis) : null,
                language,
                null);
        return new WorkerTool(spec, field(told, "wants_context", Boolean.class), pool);
    }

    private static <T> T field(Map<String, Object> told, String name, Class<T> type) {
        if (!type.isInstance(told.get(name))) {
            throw new BrokenWireException("a description of a tool without its " + name);
        }
        return type.cast(told.get(name));
    }

    @Override
    public ToolSpec spec() {
        return spec;
    }

    @Override
    public boolean wantsContext() {
        return wantsContext;
    }

    @Override
    public Outcome invoke(Invocation invocation) {
        try {
            byte[] request = request(invocation);
            if (!new Frame(FrameType.CALL, request).fits(pool.limit())) {
                return Settled.of(
                        ErrorKind.TOO_LARGE, "the arguments take more than " + pool.limit() + " bytes", Effect.NONE);
            }
            return answered(invocation, pool.carry(request, invocation.context()));
        } catch (SentArguments.Refused refused) {
            return refused.outcome();
        } catch (PortableException tooLong) {
            return Settled.of(tooLong.kind(), "the arguments: " + tooLong.getMessage(), Effect.NONE);
        } catch (InterruptedException cancelled) {
            // The context is to see the interruption as well: it is the caller's, where the caller runs the body.
            Thread.currentThread().interrupt();
            invocation.context().cancelled();
            Thread.interrupted();
            return Boundary.caught(cancelled, invocation.passing());
        }
    }

    private byte[] request(Invocation invocation) throws SentArguments.Refused {
        ToolContext context = invocation.context();
        Map<String, Object> values = Map.of();
        if (!spec.injected().isEmpty()) {
            values = injected(invocation.injected());
        }
        return Envelope.encodeCall(new BridgeCall(
                spec.name(),
                arguments.read(invocation.arguments()),
                values,
                context.callId(),
                context.attempt(),
                context.remaining().map(Duration::toMillis).orElse(null),
                invocation.limits()));
    }

    /** The host's values that this tool takes; the worker misses those that are not there. */
    private Map<String, Object> injected(Map<String, ?> given) throws SentArguments.Refused {
        Map<String, Object> values = new HashMap<>();
        for (InjectedParameter source : spec.injected().values()) {
            if (given.containsKey(source.name())) {
                Object value = given.get(source.name());
                try {
                    Portable.encode(value, STRICT);
                } catch (PortableException notPortable) {
                    throw new SentArguments.Refused(Settled.of(
                            ErrorKind.INTERNAL,
                            "the injected value \"" + source.name() + "\" cannot reach the worker: "
                                    + value.getClass().getName() + " has no portable form",
                            Effect.NONE));
                }
                values.put(source.name(), value);
            }
        }
        return values;
    }

    private static Outcome answered(Invocation invocation, WorkerPool.Answer answer) {
        if (answer.settled() != null) {
            return answer.settled();
        }
        BridgeReply reply = Envelope.decodeReply(answer.envelope());
        if (!reply.decoded().isEmpty()) {
            invocation.decoded(reply.decoded());
        }
        for (Progress step : reply.progress()) {
            invocation.context().progress(step.progress(), step.total(), step.message());
        }
        return reply.outcome();
    }
}
