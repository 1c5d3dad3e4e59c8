# SPDX-License-Identifier: Apache-2.0
"""Starts processes from a thread that lives as long as this process does.

Linux tells a child when the *thread* that started it has ended. So a worker may ask to be killed
then, which ends it with its host even where a body keeps the interpreter to itself in C code and no
Python of the worker sees the end of the connection (W1.3).
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Final

WITH_HOST: Final = "ISONOMY_ENDS_WITH_HOST"
"""The variable that names its host to a worker that was started like this."""

NOT_STARTED: Final = (OSError, ValueError, TypeError, RuntimeError, MemoryError)
"""What `subprocess.Popen` raises where it starts nothing."""

Start = Callable[[], "subprocess.Popen[bytes]"]


class Spawner:
    """Safe to use from several threads, and in a process that was forked from its own."""

    def __init__(self) -> None:
        self._forget()
        os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._jobs: SimpleQueue[tuple[Start, Future[subprocess.Popen[bytes]]]] = SimpleQueue()
        self._runs = False

    def start(self, start: Start) -> subprocess.Popen[bytes]:
        """Start a process; raises what that raises."""
        if sys.platform != "linux":
            return start()
        with self._lock:
            if not self._runs:
                self._runs = True
                threading.Thread(target=self._run, name="isonomy-spawner", daemon=True).start()
        started: Future[subprocess.Popen[bytes]] = Future()
        self._jobs.put((start, started))
        return started.result()

    def _run(self) -> None:
        while True:
            start, started = self._jobs.get()
            try:
                started.set_result(start())
            except NOT_STARTED as failed:
                started.set_exception(failed)
            del start, started  # or what they hold would live until the next start


SPAWNER: Final = Spawner()
