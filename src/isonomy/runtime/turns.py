# SPDX-License-Identifier: Apache-2.0
"""Whose turn it is in a batch whose calls several threads run (clauses 8.7, 8.8)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import NamedTuple

from isonomy.runtime.batch import Batch
from isonomy.runtime.permits import Permits


class Turn(NamedTuple):
    """A call that may start, and the permits to give one back to, if it needed one."""

    position: int
    permits: Permits | None


class _Line:
    """The calls that need a permit of one tool, in request order, or those that need none."""

    __slots__ = ("clocked", "granted", "head", "permits", "positions", "waits")

    def __init__(self, permits: Permits | None, turns: Turns) -> None:
        self.permits = permits
        self.positions: list[int] = []
        #: Where the next call stands, and the next whose time does not run.
        self.head = self.clocked = 0
        #: Whether a permit was asked for in vain.
        self.waits = False
        self.granted = lambda: turns._granted(self)  # one object, so that it can be forgotten

    @property
    def first(self) -> int:
        return self.positions[self.head]

    @property
    def is_empty(self) -> bool:
        return self.head >= len(self.positions)


class Turns:
    """Hands out calls in request order, as many at once as there are places.

    In parallel, calls that wait for a permit are passed by; in order, nobody is. Each step costs no
    more for more calls. Safe to use from several threads.

    Args:
        batch: The batch.
        places: How many calls may start.
        ready: Takes a call that waited for its permit and may start now, from any thread.
    """

    def __init__(self, batch: Batch, places: int, ready: Callable[[Turn], None]) -> None:
        self._batch = batch
        self._in_order = batch.options.parallel == 1
        self._lock = threading.Lock()
        self._places = places
        self._ready = ready
        self._left = len(batch.calls)
        #: Calls that wait for nothing but a permit, their time running, and those that gave up.
        self._clocked: set[int] = set()
        self._dropped: set[int] = set()
        lines: dict[int | None, _Line] = {}
        for position in range(self._left):
            permits = batch.permits[position] if batch.permits is not None else None
            key = None if permits is None else id(permits)
            if key not in lines:
                lines[key] = _Line(permits, self)
            lines[key].positions.append(position)
        self._lines = list(lines.values())

    @property
    def left(self) -> int:
        """How many calls nobody was handed."""
        return self._left

    @property
    def places(self) -> int:
        """How many calls may start."""
        return self._places

    def free(self) -> None:
        """Say that a call which had its turn has ended: another may start."""
        with self._lock:
            self._places += 1

    def take(self) -> Turn | None:
        """Take the next call that may start; None where none may, as yet."""
        with self._lock:
            stopped = self._batch.stopped()
            if self._places <= 0 and not stopped:
                return None
            while (line := self._next_line(stopped)) is not None:
                if line.permits is None or stopped:
                    return self._pop(line, None)
                if line.permits.take_or_wait(line.granted):
                    return self._pop(line, line.permits)
                line.waits = True
            return None

    def _next_line(self, stopped: bool) -> _Line | None:
        """The line with the first call that does not wait; None where there is none."""
        first: _Line | None = None
        for line in self._lines:
            if line.is_empty or (line.waits and not stopped and not self._in_order):
                continue
            if first is None or line.first < first.first:
                first = line
        return None if first is not None and first.waits and not stopped else first

    def _pop(self, line: _Line, permits: Permits | None) -> Turn:
        position = line.first
        self._leave(line, position)
        self._places -= 1
        return Turn(position, permits)

    def _granted(self, line: _Line) -> bool:
        with self._lock:
            line.waits = False
            # Nothing is taken that cannot start at once: others may want the permit.
            if self._places <= 0 or self._batch.stopped() or self._next_line(False) is not line:
                return False
            self._ready(self._pop(line, line.permits))
        return True

    def waiting(self) -> list[int]:
        """The calls whose turn it is but for a permit, each given once: their time runs (8.8)."""
        found: list[int] = []
        with self._lock:
            while len(self._clocked) < self._places:
                line = self._next_unclocked()
                if line is None:
                    break
                position = line.positions[line.clocked]
                line.clocked += 1
                self._clocked.add(position)
                found.append(position)
        return found

    def _next_unclocked(self) -> _Line | None:
        first: _Line | None = None
        for line in self._lines:
            line.clocked = max(line.clocked, line.head)
            if line.clocked >= len(line.positions) or not (line.waits or self._in_order):
                continue
            if first is None or line.positions[line.clocked] < first.positions[first.clocked]:
                first = line
        return None if first is not None and not first.waits else first

    def drop(self, position: int) -> bool:
        """Take a call out that waits for a permit; false where it waits no more."""
        with self._lock:
            if position not in self._clocked:
                return False
            permits = self._batch.permits
            wanted = permits[position] if permits is not None else None
            line = next(line for line in self._lines if line.permits is wanted)
            self._leave(line, position)
            return True

    def _leave(self, line: _Line, position: int) -> None:
        self._clocked.discard(position)
        self._dropped.add(position)
        self._left -= 1
        while not line.is_empty and line.first in self._dropped:
            self._dropped.discard(line.first)
            line.head += 1

    def close(self) -> list[int]:
        """Hand out no further call; gives those that are left, in request order."""
        left: list[int] = []
        with self._lock:
            for line in self._lines:
                left += [each for each in line.positions[line.head :] if each not in self._dropped]
                line.head = len(line.positions)
                if line.waits and line.permits is not None:
                    line.permits.forget(line.granted)
            self._left = 0
        return sorted(left)
