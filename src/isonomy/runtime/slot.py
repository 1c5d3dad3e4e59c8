# SPDX-License-Identifier: Apache-2.0
"""One call whose body runs apart from its caller: who may start it, and who may end it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

from isonomy.contract.call import ToolCall
from isonomy.contract.events import ExecutionEvent
from isonomy.runtime.batch import Batch
from isonomy.runtime.claim import CANCEL, DEADLINE, Claim
from isonomy.runtime.permits import Permits
from isonomy.runtime.running import tell
from isonomy.tools.tool import Tool

_ABANDONED: Final = frozenset({DEADLINE, CANCEL})


class Slot:
    """A call between its hand-over and its end."""

    __slots__ = (
        "_on_cancel", "_permits", "batch", "began_ns", "begin", "call", "claim", "ends_at",
        "position", "reporting", "started", "tool",
    )  # fmt: skip

    def __init__(self, batch: Batch, position: int, tool: Tool) -> None:
        self.batch = batch
        self.position = position
        self.call: ToolCall = batch.calls[position]
        self.tool = tool
        #: Taken by whoever starts the body, or by who makes sure that it never starts.
        self.begin = Claim()
        #: Taken by whoever ends the call (clause 8.9).
        self.claim = Claim()
        self._permits: list[Permits] = []
        self.ends_at: float | None = None  # seconds of time.monotonic()
        self.started: ExecutionEvent | None = None
        self.began_ns = 0  # nanoseconds of time.perf_counter_ns()
        #: Held while the body reports progress, where it can.
        self.reporting: threading.RLock | None = None
        self._on_cancel: list[Callable[[], object]] | None = None

    def prevent(self, who: str) -> bool:
        """Make sure that the body never starts; false where it has started already."""
        if not self.begin.take(who):
            return False
        self.claim.take(who)
        self.free()
        return True

    def wait_until_started(self, seconds: float = 1.0) -> bool:
        """Wait for the start of a call that could not be prevented: somebody is just telling it.

        That takes microseconds. False where nobody did: an interrupt came between.
        """
        ends = None
        while self.started is None:
            now = time.monotonic()
            ends = ends or now + seconds
            if now > ends:
                return False
            time.sleep(0)
        return True

    def hush(self) -> None:
        """Wait for a report of progress that is under way; the call's end comes after it."""
        if self.reporting is not None:
            with self.reporting:
                pass

    def hold(self, permits: Permits | None) -> None:
        """Keep a permit that was taken for this call, until `free`."""
        if permits is not None:
            self._permits.append(permits)

    def free(self) -> None:
        """Give the tool's permit back, once. The body does at its own end, if it ever began."""
        try:
            permits = self._permits.pop()
        except IndexError:
            return
        permits.release()

    def is_claimed(self) -> bool:
        """Whether somebody ended the call."""
        return self.claim.taken

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
        if self._on_cancel:
            tell(self._on_cancel)
