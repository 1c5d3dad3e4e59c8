# SPDX-License-Identifier: Apache-2.0
"""Counters and latencies of calls, read off their events (clause 9.4)."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from isonomy.contract.error import ErrorKind
from isonomy.contract.events import Event, Execution, ExecutionEvent, Notice
from isonomy.contract.forking import renew_after_fork

#: Upper bounds of the latency buckets, in microseconds; a last bucket takes what is longer.
BOUNDS_US: Final = (
    10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000,
    100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000,
)  # fmt: skip

_EXECUTED: Final = Execution.EXECUTED
_STATUS: Final = {"finished": "success", "failed": "failure"}

#: How many events are counted together.
_TOGETHER: Final = 4_096


class Latency:
    """How many calls there were, and the latencies of those that were executed.

    `buckets` counts by `BOUNDS_US`, `count` all of them, `sum_us` is their sum in microseconds.
    """

    __slots__ = ("buckets", "calls", "sum_us")

    def __init__(self) -> None:
        self.buckets = [0] * (len(BOUNDS_US) + 1)
        self.calls = 0
        self.sum_us = 0

    @property
    def count(self) -> int:
        """How many calls have a latency."""
        return sum(self.buckets)

    @property
    def mean_us(self) -> float | None:
        """The mean latency in microseconds, or None where no call has one."""
        return self.sum_us / self.count if self.count else None

    def __repr__(self) -> str:
        """Show how many calls have a latency, and their mean."""
        mean = "" if self.mean_us is None else f", mean_us={self.mean_us:.0f}"
        return f"Latency(count={self.count}{mean})"

    def add(self, duration_us: int | None) -> None:
        """Count one call, without a latency where it has none."""
        self.calls += 1
        if duration_us is not None:
            self.buckets[bisect_left(BOUNDS_US, duration_us)] += 1
            self.sum_us += duration_us

    def include(self, other: Latency) -> None:
        """Add what another counted."""
        self.buckets = [mine + its for mine, its in zip(self.buckets, other.buckets, strict=True)]
        self.calls += other.calls
        self.sum_us += other.sum_us


@dataclass(frozen=True, slots=True)
class CallKey:
    """What calls are counted by: the tool, its server, the status, and a failure's kind.

    The tool is "" for names that no tool has, which are counted together.
    """

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

    def __str__(self) -> str:
        """Give a table for people: a line for each tool, then the totals."""
        lines = [self._line(tool) for tool in sorted({key.tool for key in self.calls})]
        totals = {
            "in flight": self.in_flight,
            "reused": self.reused,
            "retries": self.retries,
            "cancelled": self.cancelled,
            "late results": self.late_results,
            "dropped events": self.dropped_events,
        }
        told = [f"{name} {number}" for name, number in totals.items() if number]
        return "\n".join([*lines, *([", ".join(told)] if told else [])]) or "no calls"

    def _line(self, tool: str) -> str:
        failed: Counter[str] = Counter()
        for key, number in self.calls.items():
            if key.tool == tool and key.kind is not None:
                failed[key.kind] += number
        kinds = ", ".join(f"{kind} {number}" for kind, number in sorted(failed.items()))
        text = f"{tool or '(unknown)'}: {self.count(tool)} calls"
        text += f", {self.count(tool, 'success')} succeeded"
        mean = self.latency[tool].mean_us if tool in self.latency else None
        text += "" if mean is None else f", {mean / 1000:.3f} ms on average"
        return text + (f"; failed: {kinds}" if kinds else "")

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
    takes = frozenset({ExecutionEvent, Notice})

    def __init__(self) -> None:
        self.renew()
        self._taken: deque[Event] = deque()
        #: Ended calls by tool, server, kind of end, kind of failure: how many, and their latency.
        self._ends: dict[tuple[str, str | None, str, str | None], Latency] = {}
        self._in_flight = 0
        self._totals: Counter[str] = Counter()
        #: Takes one event.
        self.emit = self._taking()
        renew_after_fork(self)

    def renew(self) -> None:
        """Forget who holds the lock: called in a process that was forked."""
        self._lock = threading.Lock()

    def _taking(self) -> Callable[[Event], None]:
        taken = self._taken
        append = taken.append

        def emit(event: Event) -> None:
            append(event)
            if len(taken) >= _TOGETHER:
                with self._lock:
                    self._count()

        return emit

    def _count(self) -> None:
        """Count what was taken; the lock is held."""
        taken, ends = self._taken, self._ends
        for _ in range(len(taken)):
            event = taken.popleft()
            if type(event) is ExecutionEvent:
                kind = event[0]
                if kind == "started":
                    self._in_flight += 1
                    continue
                if kind == "progress":
                    continue
                if event.execution is _EXECUTED:
                    self._in_flight -= 1
                # A model makes unknown names up, and each would be a row of its own for ever.
                tool = "" if event.kind is ErrorKind.NOT_FOUND else event.tool
                key = (tool, event.server, kind, event.kind)
                kept = ends.get(key)
                if kept is None:
                    kept = ends[key] = Latency()
                kept.add(event.duration_us)
                if event.attempts is not None and event.attempts > 1:
                    self._totals["retries"] += event.attempts - 1
            elif type(event) is Notice:
                self._totals[event.what] += 1

    def snapshot(self) -> Snapshot:
        """Return the metrics at this moment, a copy."""
        with self._lock:
            self._count()
            calls: dict[CallKey, int] = {}
            latency: dict[str, Latency] = {}
            others: Counter[str] = Counter()
            for (tool, server, end, kind), kept in self._ends.items():
                if end not in _STATUS:
                    others[end] += kept.calls
                    continue
                calls[CallKey(tool, server, _STATUS[end], kind and str(kind))] = kept.calls
                latency.setdefault(tool, Latency()).include(kept)
            totals = self._totals
            return Snapshot(
                calls=calls,
                latency={tool: kept for tool, kept in latency.items() if kept.count},
                in_flight=self._in_flight,
                reused=others["reused"],
                retries=totals["retries"],
                cancelled=others["cancelled"],
                late_results=totals["late_result"],
                dropped_events=totals["dropped_event"],
            )
