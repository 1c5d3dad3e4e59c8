# SPDX-License-Identifier: Apache-2.0
"""What a body may ask about the call it serves (clause 8.13)."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from math import isfinite
from typing import Any

from isonomy.contract.misuse import Misuse

Progress = Callable[[float, float | None, str | None], None]


def _never() -> bool:
    return False


def _unwatched(callback: Callable[[], object]) -> None:
    """Forget the callback of a call that nobody cancels."""


def _unheard(progress: float, total: float | None, message: str | None) -> None:
    """Drop the report of a call that nobody watches."""


class ToolContext:
    """The call as its body sees it: injected where a parameter is declared `ToolContext`.

    The runtime makes one per attempt. A context may be used from any thread, also after its call
    has ended: then `cancelled` stays as it was and progress goes nowhere.

    >>> def slow(pages: int, context: ToolContext) -> int:
    ...     for page in range(pages):
    ...         if context.cancelled:
    ...             break
    ...         context.progress(page + 1, pages)
    ...     return pages

    Args:
        tool: The tool's name.
        call_id: The call's id as the model gave it, or None (never invented, clause 8.1).
        attempt: Which attempt this is, from 1.
        ends_at: When the deadline passes, in seconds of `time.monotonic()`; None for no deadline.
        is_cancelled: Tells whether the call was cancelled or its deadline passed.
        on_cancel: Takes a callback for the moment when that becomes true.
        on_progress: Receives each report as `(progress, total, message)`.
    """

    __slots__ = (
        "_ends_at", "_is_cancelled", "_on_cancel", "_on_progress", "attempt", "call_id", "tool",
    )  # fmt: skip

    def __init__(
        self,
        tool: str,
        call_id: str | None = None,
        attempt: int = 1,
        *,
        ends_at: float | None = None,
        is_cancelled: Callable[[], bool] = _never,
        on_cancel: Callable[[Callable[[], object]], None] = _unwatched,
        on_progress: Progress = _unheard,
    ) -> None:
        self.tool = tool
        self.call_id = call_id
        self.attempt = attempt
        self._ends_at = ends_at
        self._is_cancelled = is_cancelled
        self._on_cancel = on_cancel
        self._on_progress = on_progress

    def remaining(self) -> float | None:
        """Return the seconds left before the deadline, at least 0.0, or None without a deadline."""
        if self._ends_at is None:
            return None
        return max(0.0, self._ends_at - time.monotonic())

    @property
    def cancelled(self) -> bool:
        """Whether nobody waits for this call any more; a long body looks now and then."""
        return self._is_cancelled()

    def on_cancel(self, callback: Callable[[], object]) -> None:
        """Have `callback` called once when nobody waits for this call any more.

        It runs in the thread that cancels, at once if the call is cancelled already; it must be
        short and must not raise.
        """
        self._on_cancel(callback)

    def progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Report how far the body is, in units of its own choice, out of `total` if known.

        Raises:
            Misuse: A number is not finite, or something else than a number or a text is given.
        """
        numbers: tuple[object, ...] = (progress, 0 if total is None else total)
        for number in numbers:
            if not isinstance(number, int | float) or not isfinite(number):
                raise Misuse(f"progress and total are finite numbers, got {number!r}")
        text: object = message
        if text is not None and not isinstance(text, str):
            raise Misuse(f"the message of progress is a text, got {type(text).__name__}")
        self._on_progress(progress, total, message)

    @property
    def logger(self) -> logging.LoggerAdapter[logging.Logger]:
        """A logger named `isonomy.tool.NAME` whose records carry `call_id` and `attempt`."""
        extra: dict[str, Any] = {"call_id": self.call_id, "attempt": self.attempt}
        return logging.LoggerAdapter(logging.getLogger(f"isonomy.tool.{self.tool}"), extra)
