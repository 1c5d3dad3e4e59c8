# SPDX-License-Identifier: Apache-2.0
"""Does things after a while, on one thread that is there only while there is something to do."""

from __future__ import annotations

import heapq
import threading
import time
from collections.abc import Callable
from itertools import count


class Later:
    """Safe to use from several threads. What it does must be short and must not raise."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._due: list[tuple[float, int, Callable[[], object]]] = []
        self._order = count()
        self._runs = False

    def after(self, seconds: float, action: Callable[[], object]) -> None:
        """Do something in so many seconds."""
        with self._changed:
            heapq.heappush(self._due, (time.monotonic() + seconds, next(self._order), action))
            if self._runs:
                self._changed.notify()
                return
            self._runs = True
        threading.Thread(target=self._run, name="isonomy-worker-grace", daemon=True).start()

    def stop(self) -> None:
        """Forget all that was to be done."""
        with self._changed:
            self._due.clear()
            self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                if not self._due:
                    self._runs = False
                    return
                left = self._due[0][0] - time.monotonic()
                if left > 0:
                    self._changed.wait(left)
                    continue
                _, _, action = heapq.heappop(self._due)
            action()
