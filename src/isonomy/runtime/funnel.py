# SPDX-License-Identifier: Apache-2.0
"""The one place where an outcome becomes a response, a record and events (clauses 1.4, 9.5)."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator, Sequence
from time import time_ns
from typing import Any, Final

from isonomy.contract.error import Effect, ErrorKind, ToolError
from isonomy.contract.events import (
    CallRecord,
    CancelReason,
    Execution,
    ExecutionEvent,
    Notice,
    Progress,
    ResponseEvent,
)
from isonomy.contract.limits import bounded_failure, checked
from isonomy.contract.mapping import settled, to_response
from isonomy.contract.outcome import Outcome, Settled
from isonomy.contract.redaction import FailureRedactor, redacted, without_values
from isonomy.contract.response import ToolFailure, ToolResponse
from isonomy.contract.secret_values import SecretValues
from isonomy.runtime.batch import Batch
from isonomy.runtime.durable import Reused
from isonomy.runtime.emitter import Emitter
from isonomy.tools.tool import Limits, Tool

#: Makes the named tuples of the hot path: all fields at once, half the price of calling the class.
_new: Final = tuple.__new__

_log = logging.getLogger("isonomy.runtime")

_EXECUTED: Final = Execution.EXECUTED
_NOT_EXECUTED: Final = Execution.NOT_EXECUTED

TIMEOUT: Final = settled(ErrorKind.TIMEOUT, "the deadline passed while the tool ran")
SKIPPED: Final = settled(ErrorKind.NOT_RUN, "not started: an earlier call failed", Effect.NONE)
TOO_DEEP: Final = settled(ErrorKind.NOT_RUN, "not started: calls are nested too deep", Effect.NONE)
JOURNAL_FAILED: Final = settled(ErrorKind.NOT_RUN, "not started: the journal failed", Effect.NONE)
TOO_LATE: Final = settled(ErrorKind.NOT_RUN, "not started: the deadline passed", Effect.NONE)

#: Kinds of errors that the runtime words itself, with keys and names but no values (12.6).
_OUR_WORDS: Final = frozenset(
    {
        ErrorKind.INVALID_ARGUMENTS,
        ErrorKind.NOT_FOUND,
        ErrorKind.NOT_RUN,
        ErrorKind.TIMEOUT,
        ErrorKind.TOO_LARGE,
        ErrorKind.RESULT_CONVERSION,
    }
)


class Funnel:
    """Turns how calls went into what is told about them. Safe to use from several threads."""

    def __init__(
        self, emitter: Emitter, redactor: FailureRedactor, limits: Limits, secrets: Iterable[Any]
    ) -> None:
        self._emit = emitter.of(ExecutionEvent)
        self._emit_notice = emitter.of(Notice)
        self._emit_response = emitter.of(ResponseEvent)
        self._redactor = redactor
        self._max_bytes = limits.max_result_bytes
        self._strict = limits.strict_values
        self._secrets = SecretValues.of(secrets)

    def response(self, tool: Tool, outcome: Outcome) -> ToolResponse:
        """Make the response of a call that was handed over: checked, mapped, redacted."""
        try:
            if not tool.checks_results:
                outcome = checked(outcome, max_bytes=self._max_bytes, strict=self._strict)
            response = to_response(outcome)
            if type(response) is not ToolFailure:
                return response
            foreign = type(outcome) is Settled and outcome.foreign
            return self._clean(response, foreign=foreign)
        except Exception as raised:  # noqa: BLE001 - what a tool hands over may do anything
            # Its type alone, here and in the log: its text may hold secrets (clause 12.9).
            _log.error("what tool %r gave raised %s", tool.name, type(raised).__name__)
            message = f"what the tool handed over cannot be examined ({type(raised).__name__})"
            return ToolFailure(settled(ErrorKind.INTERNAL, message).error)

    def begin(
        self,
        tool: Tool,
        batch_id: str | None,
        seq: Iterator[int],
        position: int,
        call_id: str | None,
    ) -> ExecutionEvent:
        """Tell that a call is handed to its tool (clause 9.2); the event stands for the call."""
        started = _new(
            ExecutionEvent,
            (
                "started", batch_id, next(seq), position, call_id, tool.name, time_ns(),
                tool.server, _EXECUTED, None, None, None, None, None,
            ),
        )  # fmt: skip
        self._emit(started)
        return started

    def end(
        self,
        started: ExecutionEvent,
        seq: Iterator[int],
        tool: Tool,
        outcome: Outcome,
        duration_ns: int,
        decoded: Sequence[str] = (),
    ) -> CallRecord:
        """Make the record of a call that was handed over, and tell how it ended."""
        batch_id, position, call_id, at = started[1], started[3], started[4], started[6]
        if tool.durable is None:
            response = self.response(tool, outcome)
        else:
            response = tool.durable.ended(position) or tool.durable.end(
                position, outcome, self.response(tool, outcome), decoded, duration_ns // 1000
            )
        error = response.error if type(response) is ToolFailure else None
        duration_us = duration_ns // 1000
        record = _new(
            CallRecord,
            (
                position, call_id, tool.name, response, _EXECUTED, 1, at, duration_us,
                tuple(decoded) if decoded else (),
            ),
        )  # fmt: skip
        self._emit(
            _new(
                ExecutionEvent,
                (
                    "finished" if error is None else "failed", batch_id, next(seq), position,
                    call_id, tool.name, at + duration_ns, tool.server, _EXECUTED, 1, duration_us,
                    None if error is None else error.kind, None, None,
                ),
            )
        )  # fmt: skip
        return record

    def refused(self, batch: Batch, position: int) -> bool:
        """End a call that must not start: an earlier one failed, or nobody has its tool.

        One that is reused has its end already.
        """
        if batch.records[position] is not None:
            return True
        if batch.durable is not None and batch.durable.failed is not None:
            self.never(batch, position, JOURNAL_FAILED)
        elif batch.failed and batch.stopped():
            self.never(batch, position, SKIPPED)
        elif batch.tools[position] is None:
            name = json.dumps(batch.calls[position].tool, ensure_ascii=False)
            unknown = settled(ErrorKind.NOT_FOUND, f"no tool named {name}", Effect.NONE)
            self.never(batch, position, unknown)
        else:
            return False
        return True

    def never(self, batch: Batch, position: int, outcome: Settled) -> None:
        """Make the record of a call that was never handed over, and tell its end."""
        failure = ToolFailure(outcome.error, outcome.content, outcome.meta)
        response = self._clean(failure)
        call, tool = batch.calls[position], batch.tools[position]
        batch.keep(CallRecord(position, call.call_id, call.tool, response, _NOT_EXECUTED))
        self._emit(
            ExecutionEvent(
                "failed", batch.id, next(batch.seq), position, call.call_id, call.tool,
                time_ns(), tool.server if tool is not None else None, _NOT_EXECUTED, 0,
                kind=response.error.kind,
            )
        )  # fmt: skip

    def reused(self, batch: Batch, again: Reused) -> None:
        """Make the record of a call whose response comes from a journal, and tell it (13.4)."""
        position, response, decoded = again
        call, tool = batch.calls[position], batch.tools[position]
        batch.keep(
            CallRecord(
                position, call.call_id, call.tool, response, Execution.REUSED, decoded=decoded
            )
        )
        self._emit(
            ExecutionEvent(
                "reused", batch.id, next(batch.seq), position, call.call_id, call.tool,
                time_ns(), tool.server if tool is not None else None, Execution.REUSED, 0,
                kind=response.error.kind if isinstance(response, ToolFailure) else None,
            )
        )  # fmt: skip

    def cancelled(self, started: ExecutionEvent, seq: Iterator[int], reason: CancelReason) -> None:
        """Tell that a call which had started was cancelled: an event and no record (8.9)."""
        self._emit(
            started._replace(type="cancelled", seq=next(seq), at_ns=time_ns(), reason=reason)
        )

    def progress(self, started: ExecutionEvent, seq: Iterator[int], told: Progress) -> None:
        """Pass on what a body reports about itself."""
        if told.message is not None:
            told = told._replace(message=self._without_secrets(told.message))
        self._emit(started._replace(type="progress", seq=next(seq), at_ns=time_ns(), progress=told))

    def late(self, tool: str) -> None:
        """Count a body that ended after its call had."""
        self._emit_notice(Notice("late_result", tool=tool))

    def alone(self, record: CallRecord) -> ToolResponse:
        """Tell the response event of a call that was not part of a batch; gives its response."""
        self._emit_response(_new(ResponseEvent, (None, (record,))))
        return record.response

    def complete(
        self, batch_id: str | None, records: tuple[CallRecord | None, ...]
    ) -> ResponseEvent:
        """Tell and return the response event of a batch whose every call has its record."""
        if None in records:
            raise RuntimeError("a call ended without a record")
        event = _new(ResponseEvent, (batch_id, records))
        self._emit_response(event)
        return event

    def _without_secrets(self, text: str) -> str:
        """Do to a text what the redactor does to the message of a failure."""
        if not text.strip():
            return text
        told = ToolFailure(ToolError(ErrorKind.TOOL_ERROR, text))
        return redacted(told, self._redactor, self._secrets).error.message

    def _clean(self, failure: ToolFailure, *, foreign: bool = False) -> ToolFailure:
        if failure.error.kind in _OUR_WORDS and not foreign:
            failure = without_values(failure, self._secrets)
        else:
            failure = redacted(failure, self._redactor, self._secrets)
        return bounded_failure(failure, self._max_bytes)
