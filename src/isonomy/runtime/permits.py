# SPDX-License-Identifier: Apache-2.0
"""How many calls of one tool may run at once (``max_parallel``, clause 8.7)."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable


class Permits:
    """A counting permit whose waiters are callbacks, so that threads and event loops can wait alike.

    Safe to use from several threads. A permit that is released goes to the longest waiter.
    """

    __slots__ = ("_free", "_lock", "_waiters")

    def __init__(self, limit: int) -> None:
        self._free = limit
        self._lock = threading.Lock()
        self._waiters: deque[Callable[[], None]] = deque()

    def try_take(self) -> bool:
        """Take a permit if one is free and nobody waits for it."""
        with self._lock:
            if self._free > 0 and not self._waiters:
                self._free -= 1
                return True
            return False

    def take_or_wait(self, granted: Callable[[], None]) -> bool:
        """Take a permit now (true), or have ``granted`` called once the permit has been taken."""
        with self._lock:
            if self._free > 0 and not self._waiters:
                self._free -= 1
                return True
            self._waiters.append(granted)
            return False

    def withdraw(self, granted: Callable[[], None]) -> bool:
        """Stop waiting. False means that the permit was granted meanwhile and must be released."""
        with self._lock:
            try:
                self._waiters.remove(granted)
            except ValueError:
                return False
            return True

    def release(self) -> None:
        """Hand the permit to the longest waiter, or free it."""
        with self._lock:
            if not self._waiters:
                self._free += 1
                return
            granted = self._waiters.popleft()
        granted()
