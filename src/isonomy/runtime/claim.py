# SPDX-License-Identifier: Apache-2.0
"""Who may end a call: exactly one of its body, its deadline, and its caller (clause 8.9)."""

from __future__ import annotations

import threading
from typing import Final

BODY: Final = "body"
DEADLINE: Final = "deadline"
CANCEL: Final = "cancel"


class Claim:
    """A right that is taken once. Safe to use from several threads.

    >>> claim = Claim()
    >>> claim.take(DEADLINE), claim.take(BODY), claim.winner
    (True, False, 'deadline')
    """

    __slots__ = ("_lock", "winner")

    def __init__(self) -> None:
        # A lock that is taken without waiting and never released is the cheapest atomic
        # "first one wins" that every Python has.
        self._lock = threading.Lock()
        self.winner: str | None = None

    def take(self, who: str) -> bool:
        """Give the right to ``who`` and return true, or return false where somebody has it."""
        if not self._lock.acquire(blocking=False):
            return False
        self.winner = who
        return True

    @property
    def taken(self) -> bool:
        """Whether somebody has the right."""
        return self._lock.locked()
