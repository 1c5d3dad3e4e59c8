# SPDX-License-Identifier: Apache-2.0
"""How bytes go to the JVM and back, from any thread."""

from __future__ import annotations

import threading
from itertools import count
from typing import Any, Final

from isonomy.bridge.machine import Machine

ROOM: Final = 32 * 1024
"""Bytes of each of the two buffers of a thread; larger requests and replies cross as arrays."""
LOOK_UP: Final = 50
"""Milliseconds after which a waiting main thread looks for signals."""

tokens = count(1)
"""Numbers for calls that may be cancelled; never used twice."""


class _Line:
    """What one thread has at the JVM: two buffers that both sides see.

    Python attaches a thread to the JVM when it first calls Java, and nobody detaches it: this does,
    when the thread ends and its locals with it.
    """

    __slots__ = ("_detach", "_thread", "call", "java", "reply", "request")

    def __init__(self, host_thread: Any, detach: Any) -> None:
        import jpype.nio

        request, reply = bytearray(ROOM), bytearray(ROOM)
        self.java = host_thread(
            jpype.nio.convertToDirectBuffer(request), jpype.nio.convertToDirectBuffer(reply)
        )
        self.call = self.java.call
        self.request = memoryview(request)
        self.reply = memoryview(reply)
        self._detach = detach
        self._thread = threading.get_ident()

    def __del__(self) -> None:
        detach, here = self._detach, self._thread == threading.get_ident()
        # The references go first: letting go of one would attach the thread again.
        del self.call, self.java, self.request, self.reply
        if here:
            detach()


class Lines(threading.local):
    """Carries calls to the JVM, for any thread."""

    _line: _Line | None = None

    def __init__(self, machine: Machine) -> None:
        import jpype
