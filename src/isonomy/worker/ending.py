# SPDX-License-Identifier: Apache-2.0
"""Has the kernel end a worker with its host, where a body lets no Python see that."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from types import TracebackType
from typing import Final

WITH_HOST: Final = "ISONOMY_ENDS_WITH_HOST"
"""The variable by which a host says that the thread which started the worker ends with it only."""
BROKEN: Final = 70
"""The exit code of a worker that read what is no wire (W2.5), or that cannot go on (W1.5)."""
_PR_SET_PDEATHSIG: Final = 1


class Vital:
    """A block without which a worker is of no use: what leaves it by an exception ends the process.

    A tool may have used up the memory, say. Its host sees the end, and has another worker (W1.5).
    """

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        frames: TracebackType | None,
    ) -> None:
        if kind is None:
            return
        try:
            os.write(2, b"isonomy worker: it cannot go on\n")
            os.write(2, "".join(traceback.format_exception(kind, raised, frames)).encode())
        finally:
            os._exit(BROKEN)


def asked() -> int | None:
    """Give the host's process where it asks for this, and take the variable away.

    One that came down from a process further up asks for nothing.
    """
    told = os.environ.pop(WITH_HOST, "")
    return os.getppid() if sys.platform == "linux" and told == str(os.getppid()) else None


def end_with(host: int) -> None:
    """Have this process killed when its host has ended, also where that was before this call."""
    import ctypes

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != host:
        os._exit(0)
