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
import dev.isonomy.contract.Progress;
import dev.isonomy.contract.Redactor;
import dev.isonomy.contract.ResponseEvent;
import dev.isonomy.contract.Settled;
import dev.isonomy.contract.ToolFailure;
import dev.isonomy.contract.ToolResponse;
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
    static final Settled NO_THREAD = notRun("the system gives no more threads");
    private static final Settled SKIPPED = notRun("an earlier call failed");

    private final Emitter emitter;
    private final Redactor redactor;
    private final ResultCheck check;

    Funnel(Emitter emitter, Redactor redactor, Limits limits) {
        this.emitter = emitter;
        this.redactor = redactor;
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
        ToolResponse response = clean(Mapping.toResponse(check.applied(outcome)));
        record(batch, slot, new CallRecord(
                slot.position, slot.call.callId(), slot.call.tool(), response, Execution.EXECUTED, 1, slot.startedAt,
                durationUs, decoded));
    }

    /** Makes the record of a call that was never handed over, and tells its end. */
    void never(Batch batch, Slot slot, Settled outcome) {
        ToolResponse response = clean(Mapping.toResponse(outcome));
        record(batch, slot, new CallRecord(
                slot.position, slot.call.callId(), slot.call.tool(), response, Execution.NOT_EXECUTED, 0, null, null,
                List.of()));
    }

    /** Ends a call that must not start, since an earlier one failed or nobody has its tool; false for any other. */
    boolean refused(Batch batch, Slot slot) {
        if (!batch.isStopped() && slot.tool != null) {
            return false;
        }
        if (slot.prevent()) {
            never(batch, slot, batch.isStopped() ? SKIPPED : unknown(slot.call.tool()));
        }
        return true;
    }

    /** Tells that a call which had started was cancelled: an event and no record (clause 8.9). */
    void cancelled(Batch batch, Slot slot, String reason) {
        emit(batch, slot, Type.CANCELLED, Instant.now(), Execution.EXECUTED, null, null, null, reason, null);
    }

    /** Passes on what a body reports while its call goes on; later reports go nowhere. */
    void progress(Batch batch, Slot slot, Progress progress) {
        if (slot.isAbandoned() || slot.record != null) {
            return;
        }
        String message = progress.message() == null ? null : redactor.text(progress.message());
        Progress clean = new Progress(progress.progress(), progress.total(), message);
        emit(batch, slot, Type.PROGRESS, Instant.now(), null, null, null, null, null, clean);
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
                    type, batch.id, batch.nextSeq(), slot.position, slot.call.callId(), slot.call.tool(), at, execution,
                    attempts, durationUs, kind, reason, progress));
        }
    }

    private ToolResponse clean(ToolResponse response) {
        return response instanceof ToolFailure failure ? redactor.failure(failure) : response;
    }

    private static Settled unknown(String tool) {
        return Settled.of(ErrorKind.NOT_FOUND, "no tool named " + JsonText.of(tool), Effect.NONE);
    }

    private static Settled notRun(String reason) {
        return Settled.of(ErrorKind.NOT_RUN, "not started: " + reason, Effect.NONE);
    }
}
