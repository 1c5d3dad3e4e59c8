# SPDX-License-Identifier: Apache-2.0
"""Records and events: what is told about calls (clauses 8.3, 8.4, 9)."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, Protocol, final

from isonomy.contract.error import ErrorKind
from isonomy.contract.response import ToolResponse
from isonomy.contract.value import value

EventType = Literal["started", "finished", "failed", "reused", "cancelled"]
CancelReason = Literal["cancelled", "suspended"]


class Execution(StrEnum):
    """Whether a call's body was handed the call (clause 8.4)."""

    EXECUTED = "executed"
    REUSED = "reused"
    NOT_EXECUTED = "not_executed"


@final
@value
class CallRecord:
    """One call of a batch and its response (clause 8.4).

    `started_at` is RFC 3339 in UTC with six digits and `Z`; `duration_us` is in microseconds,
    monotonic and without queueing; both are None unless executed, and `attempts` is 0.
    """

    position: int
    call_id: str | None
    tool: str
    response: ToolResponse
    execution: Execution
    attempts: int = 0
    started_at: str | None = None
    duration_us: int | None = None
    decoded: tuple[str, ...] = ()


@final
@value
class ResponseEvent:
    """One record per call of a batch, in request order (clause 8.3)."""

    id: str | None
    records: tuple[CallRecord, ...]


@final
@value
class ExecutionEvent:
    """One step of one call; it holds no arguments and no results (clause 9.1).

    `at` is RFC 3339 in UTC with six digits and `Z`; `seq` numbers the execution events of a batch
    from 0; `kind` is that of a failure, `reason` that of a cancellation.
    """

    type: EventType
    batch: str | None
    seq: int
    position: int
    call_id: str | None
    tool: str
    at: str
    execution: Execution | None = None
    attempts: int | None = None
    duration_us: int | None = None
    kind: ErrorKind | None = None
    reason: CancelReason | None = None


@final
@value
class ProgressEvent:
    """Progress that a tool reported between its start and its end (clause 9.3)."""

    batch: str | None
    position: int
    call_id: str | None
    tool: str
    at: str
    progress: float
    total: float | None = None
    message: str | None = None


Event = ResponseEvent | ExecutionEvent | ProgressEvent


class Sink(Protocol):
    """Consumes events; whatever it does, no response changes (clause 9.5)."""

    def emit(self, event: Event) -> None:
        """Take one event; may be called from several threads."""
        ...
