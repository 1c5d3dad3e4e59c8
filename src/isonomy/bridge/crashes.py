# SPDX-License-Identifier: Apache-2.0
"""Keep `faulthandler` and the JVM apart: both want the signals of crashes.

A JVM lets null references fault and turns SIGSEGV into a NullPointerException. Whoever takes that
signal from it makes the next such exception, even a caught one, kill the process: both
`faulthandler.enable()` and `faulthandler.disable()` do so after the JVM has started.
"""

from __future__ import annotations

import ctypes
import faulthandler
import signal
import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, Final

_STDERR: Final = 2
#: At least the size of `struct sigaction` on every system.
_ROOM: Final = 512
#: The signals by which a JVM learns of faults; Windows has no such handlers.
_NAMES: Final = ("SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL")

_lock = threading.Lock()


def before_start() -> None:
    """Enable `faulthandler` unless it is; to be called before the JVM starts.

    The JVM then stands in front of it, and a later `enable()`, however it is reached, leaves the
    handlers as they are. A process that truly crashes also tells where its Python threads were.
    """
    if not faulthandler.is_enabled():
        faulthandler.enable(file=_STDERR)


def after_start() -> None:
    """Make later calls of `faulthandler.enable` and `disable` leave the JVM its signals."""
    if not hasattr(signal, "SIGBUS"):  # Windows
        return
    faulthandler.enable = _keeping_handlers(faulthandler.enable)
    faulthandler.disable = _keeping_handlers(faulthandler.disable)


def _keeping_handlers(change: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function that sets signal handlers: those set before are back in place after it."""
    sigaction = ctypes.CDLL(None).sigaction
    signals = [int(getattr(signal, name)) for name in _NAMES]

    @wraps(change)
    def guarded(*arguments: Any, **keywords: Any) -> Any:
        with _lock:
            kept = [(number, ctypes.create_string_buffer(_ROOM)) for number in signals]
            for number, action in kept:
                sigaction(number, None, action)
            try:
                return change(*arguments, **keywords)
            finally:
                for number, action in kept:
                    sigaction(number, action, None)

    return guarded
