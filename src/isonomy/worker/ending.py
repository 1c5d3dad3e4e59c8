# SPDX-License-Identifier: Apache-2.0
"""Has the kernel end a worker with its host, where a body lets no Python see that."""

from __future__ import annotations

import os
import signal
import sys
from typing import Final

WITH_HOST: Final = "ISONOMY_ENDS_WITH_HOST"
"""The variable by which a host says that the thread which started the worker ends with it only."""
_PR_SET_PDEATHSIG: Final = 1


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
