# SPDX-License-Identifier: Apache-2.0
"""A call that waits for its outcome, and what may end the wait instead."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

Report = Callable[[float, float | None, str | None], None]


class Unsent(Exception):  # noqa: N818 - it is no error of its own: another worker may be asked
    """Raised where no byte of a request was written (W5.2)."""


class Lost(Exception):  # noqa: N818 - it becomes the outcome of a call
    """Raised where a connection ended before the outcome of a call came (W5.1)."""


class Pending:
    """One call on its way: made for it, sent once.

    Args:
        report: Takes what its body reports of its progress, or None.
    """

    __slots__ = ("cancelled", "leads", "lost", "number", "reply", "report", "turn", "worker")

    def __init__(self, report: Report | None = None) -> None:
        self.report = report
        #: Its number on the connection it was sent on, or 0.
        self.number = 0
        #: The payload of its outcome, once that has come.
        self.reply: bytes | None = None
        #: Whether its connection ended before that.
        self.lost = False
        #: Whether nobody waits for it any more.
        self.cancelled = False
        #: What its thread sleeps on while another thread reads.
        self.turn: threading.Lock | None = None
        #: Whether its thread is to read from now on.
        self.leads = False
        #: The worker it was given to.
        self.worker: Any = None

    def wake(self) -> None:
        """Let its thread look at what has changed."""
        if self.turn is not None and self.turn.locked():
            self.turn.release()
