# SPDX-License-Identifier: Apache-2.0
"""One worker as its host holds it: the process, its connection, and how both end."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from isonomy.bridge.workers.link import Link
from isonomy.bridge.workers.pending import Pending
from isonomy.contract.error import ErrorKind
from isonomy.contract.mapping import settled
from isonomy.contract.outcome import Outcome

_BETWEEN: Final = 0.05
"""Seconds in which the end of a process follows the end of its connection."""
_DEAD: Final = 2.0
"""Seconds in which a killed process ends."""


class WorkerProcess:
    """A worker that is ready.

    Args:
        process: The process, the leader of a process group of its own.
        link: The connection to it.
        tools: What it told of its tools (W3.4).
    """

    def __init__(
        self, process: subprocess.Popen[bytes], link: Link, tools: Sequence[Mapping[str, Any]]
    ) -> None:
        self.process = process
        self.link = link
        self.tools = tools
        self.ready_at = time.monotonic()
        #: Calls that it was given and has not answered.
        self.given: set[Pending] = set()
        #: Those of them that nobody waits for and whose grace is over.
        self.overdue: set[Pending] = set()
        #: Whether it was ever given a call.
        self.has_served = False
        #: Whether it gets no further call.
        self.retired = False
        #: Set when the process has ended.
        self.ended = threading.Event()

    def watch(self, on_end: Callable[[WorkerProcess], None]) -> None:
        """Have `on_end` called, on another thread, when the process has ended."""
        threading.Thread(
            target=self._watch,
            args=(on_end,),
            name=f"isonomy-worker-{self.process.pid}",
            daemon=True,
        ).start()

    def _watch(self, on_end: Callable[[WorkerProcess], None]) -> None:
        self.process.wait()
        # Where a child that a tool forked keeps the connection open, it ends here all the same.
        self.link.end()
        self.ended.set()
        on_end(self)

    @property
    def usable(self) -> bool:
        """Whether it can be given a call."""
        return not (self.link.over or self.retired or self.ended.is_set())

    def kill(self) -> None:
        """End the process and the programs that its tools started, at once."""
        self.link.end()  # first, so that nothing of it is taken for an answer any more
        kill(self.process)

    def lost(self) -> Outcome:
        """Give the outcome of a call that was lost with this worker (W5.1)."""
        if self.link.broken or not self.ended.wait(_BETWEEN):
            self.link.broken = True
            self.kill()
            self.ended.wait(_DEAD)
        text, details = "the connection broke", None
        if not self.link.broken:
            text, details = end_of(self.process)
        return settled(ErrorKind.CONNECTION_LOST, f"the worker ended ({text})", details=details)


def end_of(process: subprocess.Popen[bytes]) -> tuple[str, dict[str, Any]]:
    """Give how a process ended, in words and as details."""
    code = process.returncode
    if code >= 0:
        return f"exit code {code}", {"exit_code": code}
    name = str(-code)
    with suppress(ValueError):  # a real-time signal has no name
        name = signal.Signals(-code).name
    return f"signal {name}", {"signal": name}


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and its group; nothing where it has ended."""
    if process.poll() is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
