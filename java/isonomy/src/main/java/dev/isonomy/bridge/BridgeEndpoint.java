// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.bridge;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.isonomy.contract.BridgeCall;
import dev.isonomy.contract.BridgeReply;
import dev.isonomy.contract.Capture;
import dev.isonomy.contract.Effect;
import dev.isonomy.contract.Envelope;
import dev.isonomy.contract.ErrorInfo;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Limits;
import dev.isonomy.contract.Outcome;
import dev.isonomy.contract.Portable;
import dev.isonomy.contract.PortableException;
import dev.isonomy.contract.Progress;
import dev.isonomy.contract.Raised;
import dev.isonomy.contract.Settled;
import dev.isonomy.tools.BoundTool;
import dev.isonomy.tools.Boundary;
import dev.isonomy.tools.Invocation;
import dev.isonomy.tools.Stages;
import dev.isonomy.tools.ToolReference;
import dev.isonomy.tools.ToolRegistry;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The side of Java tools that a host in another language calls in process (clause 10). A call comes as bytes and leaves
 * as one envelope, whatever the tool does: nothing is ever thrown to the host. Arguments are checked here, on the
 * tools' side; permits, deadlines and events are the host's. Safe for use by several threads.
 */
public final class BridgeEndpoint implements AutoCloseable {

    /** What is left to say when there is no memory, or no stack, to say more. */
    private static final byte[] EXHAUSTED = ("{\"v\":1,\"outcome\":\"settled\",\"error\":{\"kind\":\"internal\","
                    + "\"message\":\"the virtual machine ran out of memory or stack\",\"effect\":\"possible\","
                    + "\"language\":\"java\"}}")
            .getBytes(UTF_8);

    private final ToolRegistry tools;
    private final ToolClasses classes;
    private final Map<Long, BridgeContext> running = new ConcurrentHashMap<>();
    /** Numbers of calls that were cancelled before they came. */
    private final Set<Long> early = ConcurrentHashMap.newKeySet();

    private BridgeEndpoint(ToolRegistry tools, ToolClasses classes) {
        this.tools = tools;
        this.classes = classes;
    }

    /** An endpoint of these tools, which stay the caller's to close. */
    public static BridgeEndpoint of(ToolRegistry tools) {
        return new BridgeEndpoint(tools, null);
    }

    /**
     * An endpoint of tools that are named by text.
     *
     * @param specs as {@link WrittenReferences#ofText} takes them
     * @param classes where the tools' classes are; several endpoints may share them, and with them what is static
     * @throws dev.isonomy.contract.Misuse a tool cannot be made
     */
    public static BridgeEndpoint load(String[] specs, ToolClasses classes) {
        List<ToolReference> references =
                Arrays.stream(specs).map(WrittenReferences::ofText).toList();
        return new BridgeEndpoint(ToolRegistry.referenced(classes.loader(), references), classes);
    }

    /**
     * An endpoint of tools that are named, and perhaps renamed, in JSON.
     *
     * @param references see {@link WrittenReferences}
     * @param classes as above
     * @throws dev.isonomy.contract.Misuse a tool cannot be made
     */
    public static BridgeEndpoint load(byte[] references, ToolClasses classes) {
        return new BridgeEndpoint(
                ToolRegistry.referenced(classes.loader(), WrittenReferences.read(references)), classes);
    }

    /** The tools as JSON: a list of objects, see {@link ToolDescription}. */
    public byte[] describe() {
        return Portable.encode(tools.all().stream().map(ToolDescription::of).toList());
    }

    /** Whether there is a tool with that name. */
    public boolean has(String tool) {
        return tools.get(tool) != null;
    }

    /** Runs one call (clauses 10.2 and 10.3) that nobody will cancel. */
    public byte[] call(byte[] request) {
        return call(request, 0);
    }

    /**
     * Runs one call (clauses 10.2 and 10.3), a stage that its tool returns to its end.
     *
     * @param token the host's number of the call for {@link #cancel}, or 0
     */
    public byte[] call(byte[] request, long token) {
        return call(request, null, token, null);
    }

    /**
     * Runs one call whose request was read.
     *
     * @param progress told of the body's progress as it comes, by the body's threads; null: the envelope carries it
     */
    public byte[] call(BridgeCall call, long token, Consumer<Progress> progress) {
        return call(null, call, token, progress);
    }

    private byte[] call(byte[] request, BridgeCall read, long token, Consumer<Progress> progress) {
        try {
            return answer(read == null ? Envelope.decodeCall(request) : read, token, progress);
        } catch (PortableException malformed) {
            return malformed(malformed);
        } catch (Throwable broken) { // the tool boundary of this path: a host must see an envelope (clause 10.1)
            return broken(broken);
        }
    }

    /** The envelope for a request that cannot be read (clause 10.4). */
    public static byte[] malformed(PortableException malformed) {
        return settled(ErrorKind.INTERNAL, "a malformed request: " + malformed.getMessage());
    }

    /**
     * Tells the body of a call that nobody waits for it, and interrupts it once; a call with that number that comes
     * later is told as it begins. Not for calls that have ended.
     */
    public void cancel(long token) {
        early.add(token);
        cancelIfEarly(token, running.get(token));
    }

    /** Forgets a cancellation that found its call ended; for who keeps cancellations from coming later than this. */
    public void forget(long token) {
        if (!early.isEmpty()) {
            early.remove(token);
        }
    }

    /** Cancels what runs, and closes the instances that were made for the tools; the classes stay open. */
    @Override
    public void close() {
        running.values().forEach(BridgeContext::cancel);
        if (classes != null) {
            tools.close();
        }
    }

    private byte[] answer(BridgeCall call, long token, Consumer<Progress> progress) {
        BoundTool tool = tools.get(call.tool());
        if (tool == null) {
            return settled(ErrorKind.NOT_FOUND, "no tool named " + Portable.quoted(call.tool()));
        }
        BridgeContext context = new BridgeContext(call, progress);
        if (token != 0) {
            running.put(token, context);
            cancelIfEarly(token, context);
        }
        ClassLoader before = enter();
        // From here to the body there are few frames on purpose: every exception pays for each of them.
        try {
            Invocation invocation =
                    new Invocation(call.arguments(), call.injected(), context, Boundary.NOTHING_PASSES);
            Outcome outcome = ended(tool.invoke(invocation));
            BridgeReply reply = new BridgeReply(outcome, invocation.decoded(), context.leave());
            return Envelope.encodeReply(reply, call.limits());
        } finally {
            context.leave();
            leave(before);
            Thread.interrupted(); // a body may leave its thread interrupted, which is none of the next call's business
            if (token != 0) {
                running.remove(token, context);
            }
        }
    }

    /** Whichever comes last of a call and its cancellation finds the other here. */
    private void cancelIfEarly(long token, BridgeContext context) {
        if (context != null && !early.isEmpty() && early.remove(token)) {
            context.cancel();
        }
    }

    /** The outcome of a body whose stage, if it returned one, has ended. */
    private static Outcome ended(Outcome outcome) {
        CompletionStage<?> stage = Stages.of(outcome);
        if (stage == null) {
            return outcome;
        }
        try {
            return Stages.await(stage, Boundary.NOTHING_PASSES);
        } catch (InterruptedException cancelled) {
            // Nobody waits for this answer: the host was the one that cancelled.
            return new Raised(Capture.errorInfo(cancelled));
        }
    }

    /** Lets tools that look for services find those of their own class path; returns what {@link #leave} takes. */
    private ClassLoader enter() {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        if (classes != null && before != classes.loader()) {
            thread.setContextClassLoader(classes.loader());
        }
        return before;
    }

    private static void leave(ClassLoader before) {
        Thread thread = Thread.currentThread();
        if (thread.getContextClassLoader() != before) {
            thread.setContextClassLoader(before);
        }
    }

    private static byte[] settled(ErrorKind kind, String message) {
        return Envelope.encodeReply(new BridgeReply(Settled.of(kind, message, Effect.NONE)), Limits.DEFAULT);
    }

    private static byte[] broken(Throwable thrown) {
        try {
            ErrorInfo error = Capture.errorInfo(thrown);
            Settled internal = Settled.of(
                    ErrorKind.INTERNAL, "the bridge failed: " + error.type() + ": " + error.message(), Effect.POSSIBLE);
            return Envelope.encodeReply(new BridgeReply(internal), Limits.DEFAULT);
        } catch (VirtualMachineError again) { // even telling of it took more than there is
            return EXHAUSTED;
        }
    }
}
