// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;


import dev.isonomy.contract.CallRecord;
import dev.isonomy.contract.Effect;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Execution;
import dev.isonomy.contract.ExecutionEvent;
import dev.isonomy.contract.ExecutionEvent.Type;
import dev.isonomy.contract.Limits;
import dev.isonomy.contract.Mapping;
import dev.isonomy.contract.Notice;
import dev.isonomy.contract.Outcome;
import dev.isonomy.contract.Portable;
import dev.isonomy.contract.Progress;
import dev.isonomy.contract.Raised;
import dev.isonomy.contract.Redactor;
import dev.isonomy.contract.ResponseEvent;
import dev.isonomy.contract.Returned;
import dev.isonomy.contract.SecretValues;
import dev.isonomy.contract.Settled;
import dev.isonomy.contract.ToolFailure;
import dev.isonomy.contract.ToolResponse;
import dev.isonomy.tools.Boundary;
import java.time.Instant;
import java.util.List;

/**
 * The one place where an outcome becomes a response, a record and events (clauses 1.4 and 9.5). Safe for use by several
 * threads.
 */
final class Funnel {

    static final Settled TIMEOUT =
            Settled.of(ErrorKind.TIMEOUT, "the deadline passed while the tool ran", Effect.POSSIBLE);
    static final Settled TOO_LATE = notRun("the deadline passed");
    static final Settled INTERRUPTED = notRun("the caller's thread is interrupted");
    static final Settled NO_THREAD = notRun("the system gives no more threads");
    private static final Settled TOO_DEEP = notRun("calls are nested too deep");
    private static final Settled JOURNAL_FAILED = notRun("the journal failed");
    private static final Settled SKIPPED = notRun("an earlier call failed");

    private final Emitter emitter;
    private final Redactor redactor;
    private final SecretValues secrets;
    private final ResultCheck check;

    /** @param secrets of injected values (clause 12.5) */
    Funnel(Emitter emitter, Redactor redactor, SecretValues secrets, Limits limits) {
        this.emitter = emitter;
        this.redactor = redactor;
        this.secrets = secrets;
        this.check = new ResultCheck(limits);
    }

    /** Tells that a call is handed to its tool (clause 9.2) and starts its clock. */
    void begin(Batch batch, Slot slot) {
        slot.startedAt = Instant.now();
        emit(batch, slot, Type.STARTED, slot.startedAt, Execution.EXECUTED, null, null, null, null, null);
        slot.startedNanos = System.nanoTime();
    }

    /** Makes the record of a call that was handed over, and tells how it ended. */
    void end(Batch batch, Slot slot, Outcome outcome, List<String> decoded) {
        long durationUs = (System.nanoTime() - slot.startedNanos) / 1_000;
        Outcome examined = examined(outcome);
        ToolResponse response = clean(examined);
        if (batch.durable != null) {
            response = batch.durable.end(slot.position, examined, response, decoded, durationUs);
        }
        record(batch, slot, new CallRecord(
                slot.position, slot.call.callId(), slot.call.tool(), response, Execution.EXECUTED, 1, slot.startedAt,
                durationUs, decoded));
    }

    /** Makes the record of a call that was never handed over, and tells its end. */
    void never(Batch batch, Slot slot, Settled outcome) {
        ToolResponse response = clean(outcome);
        record(batch, slot, new CallRecord(
                slot.position, slot.call.callId(), slot.call.tool(), response, Execution.NOT_EXECUTED, 0, null, null,
                List.of()));
    }

    /** Makes the record of a call whose response comes from a journal, and tells it (clause 13.4). */
    void reused(Batch batch, Slot slot, Durable.Reused again) {
        ToolResponse response = again.response();
        boolean success = response.isSuccess();
        if (!success) {
            batch.fail();
        }
        slot.record = new CallRecord(
                slot.position, slot.call.callId(), slot.call.tool(), response, Execution.REUSED, 0, null, null,
                again.decoded());
        emit(batch, slot, Type.REUSED, Instant.now(), Execution.REUSED, 0, null,
                success ? null : response.error().kind(), null, null);
    }

    /** Why a call must not start: an earlier one failed, or nobody has its tool, ...; null where it may. */
    Settled refusal(Batch batch, Slot slot) {
        if (batch.isUnkept()) {
            return JOURNAL_FAILED;
        }
        if (batch.isStopped()) {
            return SKIPPED;
        }
        if (batch.parent != null && batch.parent.isDeepest()) {
            return TOO_DEEP;
        }
        return slot.tool == null ? unknown(slot.call.tool()) : null;
    }

    /** Tells that a call which had started was cancelled: an event and no record (clause 8.9). */
    void cancelled(Batch batch, Slot slot, String reason) {
        emit(batch, slot, Type.CANCELLED, Instant.now(), Execution.EXECUTED, null, null, null, reason, null);
    }

    /** Passes on what a body reports while its call goes on; later reports go nowhere. */
    void progress(Batch batch, Slot slot, Progress progress) {
        Progress clean = progress;
        if (progress.message() != null) {
            Outcome text = Boundary.run(() -> redactor.text(progress.message(), secrets), Boundary.NOTHING_PASSES);
            // A host's redactor that throws must not throw into the body, nor let the text through (clause 12.6).
            String message = text instanceof Returned returned ? (String) returned.value() : "[redacted]";
            clean = new Progress(progress.progress(), progress.total(), message);
        }
        Progress told = clean;
        slot.whileRunning(() ->
                emit(batch, slot, Type.PROGRESS, Instant.now(), null, null, null, null, null, told));
    }

    /** Counts a body that ended after its call had. */
    void late(Slot slot) {
        emitter.emit(Notice.lateResult(slot.call.tool()));
    }

    /** Tells the answer to the whole request, last (clause 9.3). */
    ResponseEvent answered(Batch batch) {
        ResponseEvent event = batch.event();
        emitter.emit(event);
        return event;
    }

    private void record(Batch batch, Slot slot, CallRecord made) {
        boolean success = made.response().isSuccess();
        if (!success) {
            batch.fail();
        }
        slot.record = made;
        emit(batch, slot, success ? Type.FINISHED : Type.FAILED, Instant.now(), made.execution(), made.attempts(),
                made.durationUs(), success ? null : made.response().error().kind(), null, null);
    }

    private void emit(
            Batch batch, Slot slot, Type type, Instant at, Execution execution, Integer attempts, Long durationUs,
            ErrorKind kind, String reason, Progress progress) {
        synchronized (batch) {
            emitter.emit(new ExecutionEvent(
                    type, batch.id, batch.nextSeq(), slot.position, slot.call.callId(), slot.call.tool(), slot.server(), at,
                    execution, attempts, durationUs, kind, reason, progress));
        }
    }

    /** The outcome under the limits of results, whatever the tool's own collections do while they are looked at. */
    private Outcome examined(Outcome outcome) {
        Outcome looked = Boundary.run(() -> check.applied(outcome), Boundary.NOTHING_PASSES);
        if (looked instanceof Returned returned && returned.value() instanceof Outcome checked) {
            return checked;
        }
        return Settled.of(ErrorKind.INTERNAL, "the result cannot be examined: " + reason(looked), Effect.POSSIBLE);
    }

    private static String reason(Outcome looked) {
        return looked instanceof Raised raised ? raised.error().type() : "no reason is known";
    }

    private ToolResponse clean(Outcome outcome) {
        ToolResponse response = Mapping.toResponse(outcome);
        boolean isForeign = outcome instanceof Settled settled && settled.isForeign();
        return response instanceof ToolFailure failure
                ? check.bounded(redactor.failure(failure, secrets, isForeign))
                : response;
    }

    private static Settled unknown(String tool) {
        return Settled.of(ErrorKind.NOT_FOUND, "no tool named " + Portable.quoted(tool), Effect.NONE);
    }

    private static Settled notRun(String reason) {
        return Settled.of(ErrorKind.NOT_RUN, "not started: " + reason, Effect.NONE);
    }
}
