# SPDX-License-Identifier: Apache-2.0
"""Renews the leases of one journal while they are held (clause J3.2)."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Final, Generic, TypeVar

Held = TypeVar("Held")

_log: Final = logging.getLogger("isonomy.journal")


class Renewal(Generic[Held]):
    """Calls `renew` with all leases that are held, each so many seconds, while there are any.

    Its thread begins with the first and ends some time after the last. Safe to use from several
    threads.

    Args:
        renew: Renews leases; what it raises is told to the log, and tried again the next time.
        seconds: How often.
    """

    def __init__(self, renew: Callable[[list[Held]], object], seconds: float) -> None:
        self._renew = renew
        self._seconds = seconds
        self._state = threading.Lock()
        self._over = threading.Event()
        self._held: set[Held] = set()
        self._thread: threading.Thread | None = None

    def add(self, lease: Held) -> None:
        """Renew a lease from now on."""
        with self._state:
            self._held.add(lease)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="isonomy-journal-lease", daemon=True
                )
                self._thread.start()

    def discard(self, lease: Held) -> None:
        """Renew a lease no more."""
        with self._state:
            self._held.discard(lease)

    def close(self) -> None:
        """Renew nothing more; idempotent."""
        self._over.set()

    def _run(self) -> None:
        idle = False
        while not self._over.wait(self._seconds):
            with self._state:
                if not self._held and idle:
                    self._thread = None
                    return
                idle = not self._held
                held = list(self._held)
            if not held:
                continue
            try:
                self._renew(held)
            except Exception as raised:  # noqa: BLE001 - the leases end by themselves
                _log.warning("leases could not be renewed: %s", raised)
