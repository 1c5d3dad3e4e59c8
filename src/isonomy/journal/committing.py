# SPDX-License-Identifier: Apache-2.0
"""Shares one commit among what threads want written at the same time (clause J4.4)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Write = TypeVar("Write")


class _Waiting(Generic[Write]):
    """One write on its way; `failed` says what became of it once it is `done`."""

    __slots__ = ("done", "failed", "write")

    def __init__(self, write: Write) -> None:
        self.write = write
        self.done = False
        self.failed: Exception | None = None


class SharedCommits(Generic[Write]):
    """Writes what several threads bring with as few commits as can be.

    Whoever comes first commits for all that have come by then, in its own thread; the others wait
    for it, and one of those that came meanwhile is next. There is no thread of its own, and a
    single writer pays for nothing but two locks. Safe to use from several threads.

    Args:
        commit: Writes a list in one commit, and gives for each None or why it was not written. It
            raises where nothing was.
    """

    def __init__(self, commit: Callable[[list[Write]], list[Exception | None]]) -> None:
        self._commit = commit
        self._one = threading.Lock()
        self._state = threading.Lock()
        self._next: list[_Waiting[Write]] = []

    def write(self, write: Write) -> None:
        """Return once `write` is committed; raises what `commit` gave or raised for it."""
        if not self._next and self._one.acquire(blocking=False):  # nobody to share with
            try:
                failed = self._commit([write])[0]
            finally:
                self._one.release()
            if failed is not None:
                raise failed
            return
        mine = _Waiting(write)
        with self._state:
            self._next.append(mine)
        with self._one:
            if not mine.done:
                with self._state:
                    together, self._next = self._next, []
                self._carry_out(together)
        if mine.failed is not None:
            raise mine.failed

    def _carry_out(self, together: list[_Waiting[Write]]) -> None:
        try:
            ended = self._commit([each.write for each in together])
        except Exception as raised:  # noqa: BLE001 - told to each whose write it was
            for each in together:
                each.failed, each.done = raised, True
            return
        for each, failed in zip(together, ended, strict=True):
            each.failed, each.done = failed, True
