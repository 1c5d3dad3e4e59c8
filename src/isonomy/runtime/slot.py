# SPDX-License-Identifier: Apache-2.0
"""One call whose body runs apart from its caller: who may start it, and who may end it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from isonomy.contract.call import ToolCall
from isonomy.contract.events import ExecutionEvent
from isonomy.runtime.batch import Batch
from isonomy.runtime.claim import CANCEL, DEADLINE, Claim
from isonomy.runtime.permits import Permits
from isonomy.tools.tool import Tool

_ABANDONED: Final = frozenset({DEADLINE, CANCEL})


class Slot:
    """A call between its hand-over and its end."""

    __slots__ = (
        "_on_cancel", "_permits", "batch", "began_ns", "begin", "call", "claim", "ends_at",
        "position", "started", "tool",
    )  # fmt: skip

    def __init__(
        self, batch: Batch, position: int, tool: Tool, permits: Permits | None = None
    ) -> None:
        self.batch = batch
        self.position = position
        self.call: ToolCall = batch.calls[position]
        self.tool = tool
        #: Taken by whoever starts the body, or by who makes sure that it never starts.
        self.begin = Claim()
        #: Taken by whoever ends the call (clause 8.9).
        self.claim = Claim()
        self._permits = permits
        self.ends_at: float | None = None  # seconds of time.monotonic()
        self.started: ExecutionEvent | None = None
        self.began_ns = 0  # nanoseconds of time.perf_counter_ns()
        self._on_cancel: list[Callable[[], object]] | None = None

    def prevent(self, who: str) -> bool:
        """Make sure that the body never starts; false where it has started already."""
        if not self.begin.take(who):
            return False
        self.claim.take(who)
        self.free()
        return True

    def free(self) -> None:
        """Give the tool's permit back. Whoever took `begin` calls this: the body at its own end."""
        permits, self._permits = self._permits, None
        if permits is not None:
            permits.release()

    def abandoned(self) -> bool:
        """Whether the deadline or the caller ended the call before its body did."""
        return self.claim.winner in _ABANDONED

    def on_cancel(self, callback: Callable[[], object]) -> None:
        """Have ``callback`` called when the call is abandoned; at once if it is."""
        if self._on_cancel is None:
            self._on_cancel = []
        self._on_cancel.append(callback)
        if self.abandoned():
            self.tell_cancelled()

    def tell_cancelled(self) -> None:
        """Call what waits for the call's abandonment, each once."""
        while self._on_cancel:
            self._on_cancel.pop()()
