# SPDX-License-Identifier: Apache-2.0
"""The one place where an outcome becomes a response, a record and events (clauses 1.4, 9.5)."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Final

from isonomy.contract.error import Effect, ErrorKind, ToolError
from isonomy.contract.events import (
    CallRecord,
    CancelReason,
    Execution,
    ExecutionEvent,
    Notice,
    ProgressEvent,
)
from isonomy.contract.mapping import settled, to_response
from isonomy.contract.outcome import Outcome, Settled
from isonomy.contract.redaction import Redactor
from isonomy.contract.response import ToolFailure, ToolResponse, ToolSuccess
from isonomy.runtime.batch import Batch, Slot
from isonomy.runtime.checks import checked, fitted
from isonomy.runtime.claim import CANCEL
from isonomy.runtime.emitter import Emitter
from isonomy.tools.tool import Limits, Tool

#: Makes the named tuples of the hot path: all fields at once, half the price of calling the class.
_new: Final = tuple.__new__

_EXECUTED: Final = Execution.EXECUTED
_NOT_EXECUTED: Final = Execution.NOT_EXECUTED

TIMEOUT: Final = settled(ErrorKind.TIMEOUT, "the deadline passed while the tool ran")
SKIPPED: Final = settled(
    ErrorKind.NOT_RUN, "not started: an earlier call failed", Effect.NONE
)
TOO_LATE: Final = settled(ErrorKind.NOT_RUN, "not started: the deadline passed", Effect.NONE)


class Funnel:
    """Turns how calls went into what is told about them. Safe to use from several threads."""

    def __init__(
        self, emitter: Emitter, redactor: Redactor, limits: Limits, secrets: Sequence[str]
    ) -> None:
        self.emit = emitter.emit
        self._redactor = redactor
        self._limits = limits
        self._secrets = tuple(secrets)

    def begin(self, batch: Batch, slot: Slot) -> None:
        """Tell that a call is handed to its tool (clause 9.2) and start its clock."""
        slot.started_ns = at = time.time_ns()
        call, tool = slot.call, slot.tool
        assert tool is not None
        self.emit(
            _new(
                ExecutionEvent,
                (
                    "started", batch.id, next(batch.seq), slot.position, call.call_id, call.tool,
                    at, tool.server, _EXECUTED, None, None, None, None,
                ),
            )
        )  # fmt: skip
        slot.started = time.perf_counter_ns()

    def end(
        self, batch: Batch, slot: Slot, outcome: Outcome, decoded: Sequence[str] = ()
    ) -> CallRecord:
        """Make the record of a call that was handed over, and tell how it ended."""
        duration_us = (time.perf_counter_ns() - slot.started) // 1000
        assert slot.tool is not None
        response = self.response(slot.tool, outcome)
        return self._record(batch, slot, response, _EXECUTED, duration_us, tuple(decoded))

    def response(self, tool: Tool, outcome: Outcome) -> ToolResponse:
        """Make the response of a call that was handed over: mapped, checked, redacted."""
        response = to_response(outcome)
        if type(response) is ToolSuccess and not tool.checks_results:
            response = checked(response, self._limits)
        return self._clean(response) if type(response) is ToolFailure else response

    def never(self, batch: Batch, slot: Slot, outcome: Settled) -> CallRecord:
        """Make the record of a call that was never handed over, and tell its end."""
        response = self._clean(ToolFailure(outcome.error))
        return self._record(batch, slot, response, _NOT_EXECUTED, None, ())

    def refused(self, batch: Batch, slot: Slot) -> bool:
        """End a call that must not start: an earlier one failed, or nobody has its tool."""
        if batch.stopped():
            self.never(batch, slot, SKIPPED)
        elif slot.tool is None:
            name = json.dumps(slot.call.tool, ensure_ascii=False)
            unknown = settled(ErrorKind.NOT_FOUND, f"no tool named {name}", Effect.NONE)
            self.never(batch, slot, unknown)
        else:
            return False
        return True

    def cancelled(self, batch: Batch, slot: Slot, reason: CancelReason) -> None:
        """Tell that a call which had started was cancelled: an event and no record (8.9)."""
        call = slot.call
        self.emit(
            ExecutionEvent(
                "cancelled", batch.id, next(batch.seq), slot.position, call.call_id, call.tool,
                time.time_ns(), slot.tool.server if slot.tool else None, _EXECUTED, reason=reason,
            )
        )  # fmt: skip

    def progress(
        self, batch: Batch, slot: Slot, progress: float, total: float | None, message: str | None
    ) -> None:
        """Pass on what a body reports while its call goes on; later reports go nowhere."""
        if slot.claim.taken:
            return
        call = slot.call
        text = None if message is None else self._redactor.text(message, self._secrets)
        self.emit(
            ProgressEvent(
                batch.id, slot.position, call.call_id, call.tool, time.time_ns(),
                progress, total, text,
            )
        )  # fmt: skip

    def late(self, tool: str) -> None:
        """Count a body that ended after its call had."""
        self.emit(Notice("late_result", tool=tool))

    def abandon(self, batch: Batch, slot: Slot, reason: CancelReason) -> None:
        """End a call for its caller's sake, if nobody ended it before; started ones are told."""
        if not slot.prevent(CANCEL) and slot.claim.take(CANCEL):
            self.cancelled(batch, slot, reason)
            slot.tell_cancelled()

    def _clean(self, failure: ToolFailure) -> ToolResponse:
        return fitted(self._redactor.failure(failure, self._secrets), self._limits)

    def _record(
        self,
        batch: Batch,
        slot: Slot,
        response: ToolResponse,
        execution: Execution,
        duration_us: int | None,
        decoded: tuple[str, ...],
    ) -> CallRecord:
        call = slot.call
        executed = execution is _EXECUTED
        attempts = 1 if executed else 0
        record = _new(
            CallRecord,
            (
                slot.position, call.call_id, call.tool, response, execution, attempts,
                slot.started_ns if executed else None, duration_us, decoded,
            ),
        )  # fmt: skip
        slot.record = record
        error: ToolError | None = None
        if type(response) is ToolFailure:
            error = response.error
            batch.failed = True
        self.emit(
            _new(
                ExecutionEvent,
                (
                    "finished" if error is None else "failed", batch.id, next(batch.seq),
                    slot.position, call.call_id, call.tool, time.time_ns(),
                    slot.tool.server if slot.tool is not None else None, execution, attempts,
                    duration_us, error.kind if error is not None else None, None,
                ),
            )
        )  # fmt: skip
        return record
