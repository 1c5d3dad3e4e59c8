# SPDX-License-Identifier: Apache-2.0
"""How many calls of one tool may run at once (``max_parallel``, clause 8.7)."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Permits:
    """A counting permit that threads and event loops can wait for alike.

    Waiters are told that a permit came free and try again; nothing is granted to a waiter that may
    be gone. Safe to use from several threads.
    """

    __slots__ = ("_free", "_lock", "_waiters")

    def __init__(self, limit: int) -> None:
        self._free = limit
        self._lock = threading.Lock()
        self._waiters: list[Callable[[], None]] = []

    def take_or_watch(self, freed: Callable[[], None]) -> bool:
        """Take a permit (true), or have ``freed`` called once, when the next one comes free."""
        with self._lock:
            if self._free > 0:
                self._free -= 1
                return True
            self._waiters.append(freed)
            return False

    def release(self) -> None:
        """Free a permit and tell whoever watches."""
        with self._lock:
            self._free += 1
            waiters, self._waiters = self._waiters, []
        for freed in waiters:
            freed()
