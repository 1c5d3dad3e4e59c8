# SPDX-License-Identifier: Apache-2.0
"""Records and events: what is told about calls (clauses 8.3, 8.4, 9).

They are named tuples: immutable, and the cheapest to make, which matters because every call makes
four. Times are kept as integers and written as text only where somebody asks.
"""

from __future__ import annotations

import time
from enum import StrEnum
from typing import Any, Literal, NamedTuple, Protocol, final

from isonomy.contract.brief import brief_list, brief_of
from isonomy.contract.error import ErrorKind
from isonomy.contract.response import ToolResponse

EventType = Literal["started", "progress", "finished", "failed", "reused", "cancelled"]
CancelReason = Literal["cancelled", "suspended"]


class Execution(StrEnum):
    """Whether a call's body was handed the call (clause 8.4)."""

    EXECUTED = "executed"
    REUSED = "reused"
    NOT_EXECUTED = "not_executed"


@final
class CallRecord(NamedTuple):
    """One call of a batch and its response (clause 8.4).

    `started_ns` is in nanoseconds since 1970 (UTC), `duration_us` in microseconds, monotonic and
    without queueing; both are None unless executed, and `attempts` is 0. `decoded` has the paths of
    parameters that came as JSON text (clause 7.6).
    """

    position: int
    call_id: str | None
    tool: str
    response: ToolResponse
    execution: Execution
    attempts: int = 0
    started_ns: int | None = None
    duration_us: int | None = None
    decoded: tuple[str, ...] = ()

    @property
    def started_at(self) -> str | None:
        """RFC 3339 in UTC with six digits and `Z`, or None unless executed."""
        return None if self.started_ns is None else timestamp(self.started_ns)

    def __repr__(self) -> str:
        """Show the record in brief; fields that are not set are left out."""
        return brief_of(
            "CallRecord",
            position=self.position,
            call_id=self.call_id,
            tool=self.tool,
            response=self.response,
            execution=self.execution.value,
            attempts=self.attempts,
            started_at=self.started_at,
            duration_us=self.duration_us,
            decoded=self.decoded or None,
        )

    def to_wire(self) -> dict[str, Any]:
        """Give the record as a JSON object, the response's values in portable form."""
        from isonomy.contract.wire import record_tree

        return record_tree(self)


@final
class ResponseEvent(NamedTuple):
    """One record per call of a batch, in request order (clause 8.3)."""

    id: str | None
    records: tuple[CallRecord, ...]

    @property
    def responses(self) -> tuple[ToolResponse, ...]:
        """The responses alone, in request order."""
        return tuple(record.response for record in self.records)

    def __repr__(self) -> str:
        """Show the first records in brief, and how many there are."""
        return f"ResponseEvent(id={self.id!r}, records={brief_list(self.records)})"

    def to_wire(self) -> dict[str, Any]:
        """Give the event as a JSON object."""
        from isonomy.contract.wire import event_tree

        return event_tree(self)


@final
class Progress(NamedTuple):
    """How far a body says it is, in its own unit, of how much, and a text (clauses 8.13, 9.3)."""

    progress: float
    total: float | None = None
    message: str | None = None


@final
class ExecutionEvent(NamedTuple):
    """One step of one call; it holds no arguments and no results (clause 9.1).

    `at_ns` is in nanoseconds since 1970 (UTC); `seq` numbers the execution events of a batch from
    0; `kind` is that of a failure, `reason` that of a cancellation, `progress` what a body
    reported. `server`, for metrics, is that of the tool and does not leave the process.
    """

    type: EventType
    batch: str | None
    seq: int
    position: int
    call_id: str | None
    tool: str
    at_ns: int
    server: str | None = None
    execution: Execution | None = None
    attempts: int | None = None
    duration_us: int | None = None
    kind: ErrorKind | None = None
    reason: CancelReason | None = None
    progress: Progress | None = None

    @property
    def at(self) -> str:
        """RFC 3339 in UTC with six digits and `Z`."""
        return timestamp(self.at_ns)

    def __repr__(self) -> str:
        """Show the step in brief; fields that are not set are left out."""
        return brief_of(
            "ExecutionEvent",
            type=self.type,
            batch=self.batch,
            seq=self.seq,
            position=self.position,
            call_id=self.call_id,
            tool=self.tool,
            at=self.at,
            server=self.server,
            execution=self.execution and self.execution.value,
            attempts=self.attempts,
            duration_us=self.duration_us,
            kind=self.kind and self.kind.value,
            reason=self.reason,
            progress=self.progress,
        )

    def to_wire(self) -> dict[str, Any]:
        """Give the event as a JSON object."""
        from isonomy.contract.wire import event_tree

        return event_tree(self)


@final
class Notice(NamedTuple):
    """Something the runtime counts that is no step of a call (clause 9.4).

    `late_result`: a body ended after its call had (clause 8.8). `dropped_event`: a sink raised or
    was full (clause 9.5), named in `sink`.
    """

    what: Literal["late_result", "dropped_event"]
    tool: str | None = None
    sink: str | None = None


Event = ResponseEvent | ExecutionEvent | Notice


class Sink(Protocol):
    """Consumes events; whatever it does, no response changes (clause 9.5).

    A sink is called from a thread of its own behind a bounded queue, so that it may block. One that
    has an attribute `direct = True` promises not to block and is called where the event is made,
    from several threads at once. One that has an attribute `takes`, a collection of event types,
    is given events of those types only.
    """

    def emit(self, event: Event, /) -> None:
        """Take one event."""
        ...


def timestamp(nanoseconds: int) -> str:
    """Write a time since 1970 as RFC 3339 in UTC with six digits and `Z` (clause 8.4).

    >>> timestamp(1_700_000_000_123_456_789)
    '2023-11-14T22:13:20.123456Z'
    """
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{rest // 1000:06d}Z"
