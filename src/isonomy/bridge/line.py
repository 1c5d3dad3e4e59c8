# SPDX-License-Identifier: Apache-2.0
"""How the bytes of a call go to the JVM and back, from any thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final

from isonomy.bridge.lifetime import LIFETIME, Lifetime
from isonomy.bridge.machine import Machine

ROOM: Final = 32 * 1024
"""Bytes of each of the two buffers of a thread; longer requests and replies cross as arrays."""
_LOOK_UP_MS: Final = 50
"""How long a thread waits for a call aside before it looks up: signals reach it only then."""


class _Buffers:
    """What one thread has at the JVM: two buffers that both sides see.

    JPype attaches a thread to the JVM when it first calls Java, and nobody detaches it: this does,
    when the thread ends and its locals with it.
    """

    __slots__ = ("_detach", "_owner", "call", "java", "reply", "request")

    def __init__(self, host_thread: Any, detach: Any) -> None:
        from jpype.nio import convertToDirectBuffer

        request, reply = bytearray(ROOM), bytearray(ROOM)
        self.java = host_thread(convertToDirectBuffer(request), convertToDirectBuffer(reply))
        self.call = self.java.call
        self.request = memoryview(request)
        self.reply = memoryview(reply)
        self._detach = detach
        self._owner = threading.get_ident()

    def __del__(
        self, lifetime: Lifetime = LIFETIME, here: Callable[[], int] = threading.get_ident
    ) -> None:
        # The references go first: to let go of one attaches the thread again.
        del self.call, self.java
        if lifetime.over is None and self._owner == here():
            self._detach()


class Line:
    """Carries calls to the JVM. Safe to use from several threads."""

    __slots__ = ("_aside", "_call_bytes", "_detach", "_host_thread", "_local")

    def __init__(self, machine: Machine) -> None:
        import jpype

        self._host_thread = machine.bridge("HostThread")
        self._call_bytes = self._host_thread.callBytes
        self._aside = machine.bridge("CallAside")
        self._detach = jpype.java.lang.Thread.detach
        self._local = threading.local()

    @LIFETIME.carries
    def carry(self, endpoint: Any, request: bytes, token: int) -> bytes:
        """Run a call in this thread and return its envelope."""
        local = self._local
        try:
            buffers = local.buffers
        except AttributeError:
            buffers = _Buffers(self._host_thread, self._detach)
        size = len(request)
        if buffers is None or size > ROOM:
            return bytes(self._call_bytes(endpoint, request, token))
        # Meanwhile this thread has none: a signal handler may call Java tools too.
        local.buffers = None
        try:
            buffers.request[:size] = request
            size = buffers.call(endpoint, size, token)
            return bytes(buffers.reply[:size] if size <= ROOM else buffers.java.overflow())
        finally:
            local.buffers = buffers

    def carry_aside(self, endpoint: Any, request: bytes, token: int) -> tuple[bytes, int]:
        """Run a call on a thread of the JVM's: its envelope, and the nanoseconds it took there.

        Signal handlers run meanwhile; what they raise, such as `KeyboardInterrupt`, ends the wait.
        """
        aside = self._aside.start(endpoint, request, token)
        while (envelope := aside.reply(_LOOK_UP_MS)) is None:
            pass
        return bytes(envelope), int(aside.tookNanos())
