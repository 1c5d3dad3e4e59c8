# SPDX-License-Identifier: Apache-2.0
"""The Java side of the tools of one `java_tools`, as Python holds it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count
from threading import main_thread
from typing import Any, Final

from isonomy.bridge.lifetime import LIFETIME
from isonomy.bridge.line import Line

MAIN: Final = main_thread().ident
"""The thread in which signal handlers run."""
tokens: Final = count(1)
"""Numbers for calls, to cancel them by; none is given twice."""


class Endpoint:
    """Carries calls to the tools behind one Java `BridgeEndpoint`. Safe to use from any thread.

    Args:
        line: How bytes go to the JVM.
        java: The Java `BridgeEndpoint`.
    """

    __slots__ = ("_cancel", "_is_running", "_java", "_line", "broken", "call")

    def __init__(self, line: Line, java: Any) -> None:
        import jpype

        self._line = line
        self._java = java
        self._cancel = java.cancel
        self._is_running = jpype.isJVMStarted
        #: Runs a call in this thread: takes the request and a token, and returns the envelope.
        self.call: Callable[[bytes, int], bytes] = partial(line.carry, java)
        #: What `call` raises where Java broke down on the way, past all that its side catches.
        self.broken: tuple[type[Exception], ...] = (jpype.JException, jpype.JVMNotRunning)

    def over(self) -> str | None:
        """Return why no call can be made any more, or None."""
        if LIFETIME.over is not None or self._is_running():
            return LIFETIME.over
        return "the JVM of this process was shut down"

    def call_aside(self, request: bytes, token: int) -> tuple[bytes, int]:
        """Do what `call` does on another thread, so that this one stays open to signals meanwhile.

        Returns:
            The envelope, and the nanoseconds that the call took on its thread.

        Raises:
            BaseException: What a signal handler raised, `KeyboardInterrupt` say; the call is
                cancelled then, and its body may go on.
        """
        ended = None
        try:
            ended = self._line.carry_aside(self._java, request, token)
        finally:
            if ended is None:
                self.cancel(token)
        return ended

    def cancel(self, token: int) -> None:
        """Tell the body of a call that nobody waits for it; nothing where it has ended."""
        if self.over() is None:
            self._cancel(token)
