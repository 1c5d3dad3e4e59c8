# SPDX-License-Identifier: Apache-2.0
"""When the JVM of this process can no longer be called: after a fork, and as the process ends."""

from __future__ import annotations

import atexit
import gc
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from types import CodeType, FrameType
from typing import Any, Final, TypeVar

Carrier = TypeVar("Carrier", bound=Callable[..., Any])

_GRACE: Final = 2.0
"""Seconds that Java gets at exit to close what it opened and to end threads that are no daemons."""
_HOOKS: Final = 0.5
"""Seconds that shutdown hooks get where such threads are left."""

_SETTLE: Final = 1.0
"""Seconds that calls get at exit to be in Java, or back, before the JVM ends."""

_FORKED: Final = (
    "the JVM does not survive a fork, and this process was forked from one with a JVM; start"
    " workers with multiprocessing's 'spawn' method and call java_tools in them"
)
_ENDING: Final = "the process is ending and calls no more Java tools"


def _of_jpype() -> list[Any]:
    return [each for each in gc.callbacks if getattr(each, "__module__", None) == "_jpype"]


class Lifetime:
    """Whether the JVM can be called; there is one instance, `LIFETIME`."""

    __slots__ = ("_carrying", "_closing", "_collecting", "over")

    def __init__(self) -> None:
        #: Why Java can no longer be called from this process, or None while it can.
        self.over: str | None = None
        self._carrying: set[CodeType] = set()
        self._closing: list[Callable[[], None]] = []
        self._collecting: list[Any] = []

    def begin(self, host_process: Any) -> None:
        """Watch for forks and for the end; to be called once, when the JVM runs.

        Args:
            host_process: The Java class `HostProcess`.
        """
        import jpype.config

        # What JPype does at exit waits for ever for threads that are no daemons.
        jpype.config.onexit = False
        os.register_at_fork(
            before=self._before_fork,
            after_in_parent=self._after_fork,
            after_in_child=self._forked,
        )
        atexit.register(self._end, host_process)

    def at_end(self, close: Callable[[], None]) -> None:
        """Have `close` called as the process ends, while the JVM still runs."""
        self._closing.append(close)

    def carries(self, function: Carrier) -> Carrier:
        """Mark a function that makes one call of a Java `HostThread`, and none inside another."""
        self._carrying.add(function.__code__)
        return function

    def _before_fork(self) -> None:
        """Take out what JPype has Python's garbage collector do: to have Java collect, too.

        The child has no thread of Java that would answer, and may collect before anything else.
        """
        mine = _of_jpype()
        if mine:  # none where another thread is forking, too
            self._collecting = mine
        gc.callbacks[:] = [each for each in gc.callbacks if each not in mine]

    def _after_fork(self) -> None:
        if not _of_jpype():
            gc.callbacks.extend(self._collecting)

    def _forked(self) -> None:
        self.over = _FORKED
        atexit.unregister(self._end)

    def _end(self, host_process: Any) -> None:
        """End the JVM in bounded time, whatever runs in it, and leave the exit code alone.

        Python has joined its own threads by now, except daemons. One that came back from Java while
        the interpreter is torn down would bring the process down, so such calls stay in Java.
        """
        import _jpype
        import jpype

        self.over = _ENDING
        if not jpype.isJVMStarted():
            return
        host_process.end()
        self._settle(host_process)
        jpype.java.lang.Thread.detach()  # or the JVM would wait for this thread

        def end_jvm() -> None:
            for close in self._closing:
                close()
            _jpype.shutdown(True, False)

        ending = threading.Thread(target=end_jvm, name="isonomy-jvm-end", daemon=True)
        ending.start()
        ending.join(_GRACE)
        if ending.is_alive():
            with suppress(
                jpype.JVMNotRunning
            ):  # the hooks run already, and one of them does not end
                host_process.runShutdownHooks()
            ending.join(_HOOKS)

    def _settle(self, host_process: Any) -> None:
        """Wait until the threads that carry calls are in Java, where they stay, or back from it.

        One on its way holds the interpreter's lock. Were the JVM to end meanwhile, it would wait in
        Java for ever, and we for the lock.
        """
        last = time.monotonic() + _SETTLE
        while self._carriers() > host_process.inside() and time.monotonic() < last:
            time.sleep(0.001)

    def _carriers(self) -> int:
        frames: Iterable[FrameType | None] = sys._current_frames().values()
        return sum(map(self._is_carrying, frames))

    def _is_carrying(self, frame: FrameType | None) -> bool:
        while frame is not None and frame.f_code not in self._carrying:
            frame = frame.f_back
        return frame is not None


LIFETIME: Final = Lifetime()
