# SPDX-License-Identifier: Apache-2.0
"""Events kept in memory, for tests and for a look at what just happened (clause 9.6)."""

from __future__ import annotations

from collections import deque
from typing import Final

from isonomy.contract.events import Event, ExecutionEvent, ResponseEvent

CAPACITY: Final = 10_000


class MemorySink:
    """Keeps the last events, 10,000 unless told otherwise, oldest first.

    Safe to use from several threads. Its events hold the responses themselves, results included:
    it is for the process that made them.
    """

    direct = True

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._events: deque[Event] = deque(maxlen=capacity)
        # Bound once: the executor calls the deque itself, without a frame of Python between.
        self.emit = self._events.append

    @property
    def events(self) -> list[Event]:
        """What is kept, oldest first."""
        return list(self._events)

    @property
    def executions(self) -> list[ExecutionEvent]:
        """The execution events among them."""
        return [event for event in self.events if type(event) is ExecutionEvent]

    @property
    def responses(self) -> list[ResponseEvent]:
        """The response events among them."""
        return [event for event in self.events if type(event) is ResponseEvent]

    def clear(self) -> None:
        """Forget every event."""
        self._events.clear()
