# SPDX-License-Identifier: Apache-2.0
"""Counters and latencies of calls, read off their events (clause 9.4)."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Final

from isonomy.contract.events import Event, Execution, ExecutionEvent, Notice

#: Upper bounds of the latency buckets, in microseconds; a last bucket takes what is longer.
BOUNDS_US: Final = (
    10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000,
    100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000,
)  # fmt: skip

#: How many events are counted together.
_TOGETHER: Final = 4_096


@dataclass(slots=True)
class Latency:
    """Latencies of executed calls: buckets by `BOUNDS_US`, and their sum in microseconds."""

    buckets: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS_US) + 1))
    count: int = 0
    sum_us: int = 0

    def add(self, duration_us: int) -> None:
        """Count one call."""
        self.buckets[bisect_left(BOUNDS_US, duration_us)] += 1
        self.count += 1
        self.sum_us += duration_us


@dataclass(frozen=True, slots=True)
class CallKey:
    """What calls are counted by: the tool, its server, the status, and a failure's kind."""

    tool: str
    server: str | None
    status: str
    kind: str | None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The metrics at one moment.

    `calls` counts executed and refused calls by tool, server, status and kind; `latency` is by
    tool; `in_flight` is how many have started and not ended. A reused call counts in `reused` only.
    """

    calls: dict[CallKey, int]
    latency: dict[str, Latency]
    in_flight: int
    reused: int
    retries: int
    cancelled: int
    late_results: int
    dropped_events: int

    def count(self, tool: str | None = None, status: str | None = None) -> int:
        """How many calls there were, of one tool and one status (`success`, `failure`) if given."""
        return sum(
            number
            for key, number in self.calls.items()
            if tool in {None, key.tool} and status in {None, key.status}
        )


class Metrics:
    """A sink that counts. Safe to use from several threads.

    Events are kept as they come and counted together, some thousands at a time or when somebody
    looks: taking one costs a call no more than an append.
    """

    direct = True

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._taken: deque[Event] = deque()
        self._calls: Counter[tuple[str, str | None, str, str | None]] = Counter()
        self._latency: dict[str, Latency] = {}
        self._in_flight = 0
        self._totals: Counter[str] = Counter()

    def emit(self, event: Event, /) -> None:
        """Take one event."""
        taken = self._taken
        taken.append(event)
        if len(taken) >= _TOGETHER:
            with self._lock:
                self._count()

    def _count(self) -> None:
        """Count what was taken; the lock is held."""
        taken = self._taken
        for _ in range(len(taken)):
            event = taken.popleft()
            if type(event) is ExecutionEvent:
                if event.type == "started":
                    self._in_flight += 1
                else:
                    self._end(event)
            elif type(event) is Notice:
                self._totals[event.what] += 1

    def _end(self, event: ExecutionEvent) -> None:
        if event.type == "reused":
            self._totals["reused"] += 1
            return
        if event.execution is Execution.EXECUTED:
            self._in_flight -= 1
        if event.type == "cancelled":
            self._totals["cancelled"] += 1
            return
        if event.attempts is not None and event.attempts > 1:
            self._totals["retries"] += event.attempts - 1
        status = "success" if event.type == "finished" else "failure"
        self._calls[event.tool, event.server, status, event.kind] += 1
        if event.duration_us is not None:
            latency = self._latency.get(event.tool)
            if latency is None:
                latency = self._latency[event.tool] = Latency()
            latency.add(event.duration_us)

    def snapshot(self) -> Snapshot:
        """Return the metrics at this moment, a copy."""
        with self._lock:
            self._count()
            totals = self._totals
            return Snapshot(
                calls={
                    CallKey(tool, server, status, None if kind is None else str(kind)): number
                    for (tool, server, status, kind), number in self._calls.items()
                },
                latency={
                    tool: Latency(list(kept.buckets), kept.count, kept.sum_us)
                    for tool, kept in self._latency.items()
                },
                in_flight=self._in_flight,
                reused=totals["reused"],
                retries=totals["retries"],
                cancelled=totals["cancelled"],
                late_results=totals["late_result"],
                dropped_events=totals["dropped_event"],
            )
