# SPDX-License-Identifier: Apache-2.0
"""A request that waits for its reply, whichever thread brings it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from isonomy.contract.outcome import Settled
from isonomy.mcp.stateless import Marked

Report = Callable[[float, float | None, str | None], object]


class Pending:
    """One request on its way. Ended once, by any thread.

    Args:
        report: Told of progress.
        marked: The arguments that are told in headers as well, where the revision wants that.
    """

    def __init__(self, report: Report | None = None, marked: Marked | None = None) -> None:
        self.report = report
        self.marked = marked
        self.number = 0
        #: The reply, or what stands for it, or what the wait raises; None while there is nothing.
        self.ended: Mapping[str, Any] | Settled | Exception | None = None
        #: Whether nobody waits for the reply any more.
        self.abandoned = False
        #: What frees the thread that waits otherwise than by `wait`.
        self.interrupt: Callable[[], object] | None = None
        self._turn = threading.Lock()
        self._turn.acquire()

    def end(self, reply: Mapping[str, Any] | Settled | Exception) -> None:
        """Say how it ended, unless it has ended."""
        if self.ended is None:
            self.ended = reply
            self._wake()

    def abandon(self) -> None:
        """Say that nobody waits any more."""
        self.abandoned = True
        interrupt = self.interrupt
        if interrupt is not None:
            interrupt()
        self._wake()

    def wait(self) -> bool:
        """Wait for the end; tell whether there is one: not where it was abandoned before."""
        while self.ended is None and not self.abandoned:
            self._turn.acquire()
        return self.ended is not None

    def _wake(self) -> None:
        with suppress(RuntimeError):  # somebody has done it
            self._turn.release()
