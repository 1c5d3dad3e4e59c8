# SPDX-License-Identifier: Apache-2.0
"""How many calls of one tool may run at once (``max_parallel``, clause 8.7)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Final

#: Takes over a permit, in the thread that gave it back; false where there is no use for it any
#: more. It must be short.
Waiter = Callable[[], bool]

_ENDLESS: Final = 1 << 62


class Permits:
    """A counting permit that threads and event loops can wait for alike.

    A permit that comes free is handed to whoever waits longest and still wants it. Safe to use
    from several threads.
    """

    __slots__ = ("_free", "_limit", "_lock", "_waiters")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.renew()

    def renew(self) -> None:
        """Be as new, in a process that was forked: whoever held or wanted a permit is not here."""
        self._free = self._limit
        self._lock = threading.Lock()
        #: In order of their coming; a dict, so that one of many can leave at no cost.
        self._waiters: dict[Waiter, None] = {}

    def take_or_wait(self, waiter: Waiter) -> bool:
        """Take a permit (true), or have ``waiter`` wait for one."""
        with self._lock:
            if self._free > 0:
                self._free -= 1
                return True
            self._waiters[waiter] = None
            return False

    def forget(self, waiter: Waiter) -> bool:
        """Wait no more; false where ``waiter`` was told, or is being told, that it has a permit."""
        with self._lock:
            if waiter not in self._waiters:
                return False
            del self._waiters[waiter]
            return True

    def take(self) -> None:
        """Take a permit, waiting for it in this thread."""
        told: SimpleQueue[None] = SimpleQueue()

        def granted() -> bool:
            told.put(None)
            return True

        if self.take_or_wait(granted):
            return
        try:
            told.get()
        except BaseException:  # the caller was interrupted
            if not self.forget(granted):
                self.release()
            raise

    def release(self) -> None:
        """Give a permit back."""
        while True:
            with self._lock:
                waiter = next(iter(self._waiters), None)
                if waiter is None:
                    self._free += 1
                    return
                del self._waiters[waiter]
            if waiter():
                return

    def open(self) -> None:
        """Let everybody through: the executor is closed, and nothing starts any more."""
        with self._lock:
            self._free = _ENDLESS
            waiters, self._waiters = list(self._waiters), {}
        for waiter in waiters:
            waiter()
