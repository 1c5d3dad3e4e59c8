# SPDX-License-Identifier: Apache-2.0
"""When whoever waits for a frame looks again at once, before it sleeps.

To wake a sleeping thread of another process costs more than all the rest of a quick call, on
virtual machines several times more. So where frames come in a quick rhythm, the side that waits
looks for the next one for a moment (docs/decisions/0009).
"""

from __future__ import annotations

import os
from time import perf_counter_ns
from typing import Final

_SOON_NS: Final = 200_000
"""A frame that came within this time came soon."""
_SPIN_NS: Final = 100_000
"""How long one looks before one sleeps."""
_CALM: Final = 32
"""So many frames in a row must have come soon before one looks at all."""


class Spin:
    """Knows whether it is worth looking, from the waits before. For one thread at a time.

    Args:
        processors: How many this process may use; counted if not given.
    """

    __slots__ = ("_calm", "_end", "_start")

    def __init__(self, processors: int | None = None) -> None:
        if processors is None:
            processors = len(os.sched_getaffinity(0))
        #: The waits that must still come out short; on one processor they never are enough.
        self._calm = _CALM if processors > 1 else -1
        self._start = self._end = 0

    def begins(self) -> bool:
        """Begin a wait; tell whether to look again rather than to sleep."""
        self._start = start = perf_counter_ns()
        self._end = start + _SPIN_NS
        return self._calm == 0

    def goes_on(self) -> bool:
        """Tell whether to look once more. Where not, there is no looking for some time."""
        if perf_counter_ns() < self._end:
            return True
        self._calm = _CALM
        return False

    def came(self) -> None:
        """Say that what was waited for has come."""
        if self._calm > 0:
            soon = perf_counter_ns() - self._start < _SOON_NS
            self._calm = self._calm - 1 if soon else _CALM
