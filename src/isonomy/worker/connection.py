# SPDX-License-Identifier: Apache-2.0
"""The worker's end of the connection to its host. The worker ends when it does (W1.3)."""

from __future__ import annotations

import fcntl
import os
import resource
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from socket import MSG_DONTWAIT
from typing import Any, Final, NoReturn

from isonomy.contract.frames import LEAST_LIMIT, Frame, FrameBuffer, FrameType, header
from isonomy.contract.spinning import Spin
from isonomy.worker.ending import BROKEN

_OUTCOME: Final = int(FrameType.OUTCOME)
_APART: Final = 16_384
"""A payload that is longer is sent behind its header, not copied there."""
_HIGH: Final = 1000
"""Where the socket's descriptor goes if the process may have so many: tools close low ones."""


class Connection:
    """Sends frames from any thread; one thread at a time receives.

    Args:
        path: The socket at which the host listens.
    """

    def __init__(self, path: str) -> None:
        near = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        near.connect(path)
        self._socket = _high(near)
        self._recv_into = self._socket.recv_into
        self._sendall = self._socket.sendall
        self._lock = threading.Lock()
        self._buffer = FrameBuffer()
        self._next = self._buffer.next
        self._spin = Spin()
        #: The limit of a frame's length, as the host said (W2.2).
        self.limit = LEAST_LIMIT
        #: Whether this process is a copy that a tool forked: the wire is not its own.
        self.forked = False
        os.register_at_fork(after_in_child=self._in_copy)

    def set_limit(self, limit: int) -> None:
        """Keep to the limit that the host said."""
        self.limit = self._buffer.limit = max(limit, LEAST_LIMIT)

    def receive(self, idle: bool = False) -> Frame:
        """Wait for the next frame; does not return where the connection ends.

        Args:
            idle: Whether this process has nothing else to do; it may look for a moment then, before
                it sleeps.

        Raises:
            BrokenWireError: What came is no frame.
        """
        while (frame := self._next()) is None:
            try:
                count = self._wait(self._buffer.writable(), idle)
            except OSError:  # reset by the host, or closed by a tool
                os._exit(0)
            self._buffer.received(count)
            if not count:
                os._exit(0)
        return frame

    def _wait(self, room: memoryview, idle: bool) -> int:
        spin = self._spin
        count = None
        if spin.begins() and idle:
            while count is None and spin.goes_on():
                try:
                    count = self._recv_into(room, 0, MSG_DONTWAIT)
                except BlockingIOError:  # nothing there yet
                    continue
        if count is None:
            count = self._recv_into(room)
        spin.came()
        return count

    def send(self, frame: Frame, still: Callable[[], bool] | None = None) -> None:
        """Send a frame, unless `still`, asked once it is its turn, says that it is too late.

        Does not return where the connection has ended. Does nothing in a copy that a tool forked.
        """
        kind, number, payload = frame
        with self._lock:
            if not self.forked and (still is None or still()):
                self._write(kind, number, payload)

    def answer(self, number: int, payload: bytes, running: dict[int, Any]) -> None:
        """Send the outcome of a call, and take it from those that run before anything else is sent.

        Does not return where the connection has ended.
        """
        with self._lock:
            running.pop(number, None)
            if self.forked:
                os._exit(0)  # the copy came back from the body in which it was made
            self._write(_OUTCOME, number, payload)

    def _write(self, kind: int, number: int, payload: bytes) -> None:
        head = header(kind, number, len(payload))
        try:
            if len(payload) < _APART:
                self._sendall(head + payload)
            else:
                self._sendall(head)
                self._sendall(payload)
        except OSError:
            os._exit(0)

    def give_up(self, reason: str) -> NoReturn:
        """End as a worker ends that cannot understand its host (W2.5)."""
        tell(reason)
        os._exit(BROKEN)

    def finish(self) -> None:
        """Wait until what is being sent is sent."""
        with self._lock:
            pass

    def _in_copy(self) -> None:
        self.forked = True
        self._lock = threading.Lock()  # another thread may have held it when the copy was made
        self._socket.close()


def tell(text: str) -> None:
    """Write a line to the standard error, whatever tools have done to it."""
    with suppress(OSError):
        os.write(2, f"isonomy worker: {text}\n".encode(errors="replace"))


def _high(near: socket.socket) -> socket.socket:
    """Move a socket to a high descriptor, where what closes or reuses low ones leaves it alone."""
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    least = _HIGH if allowed > _HIGH + 8 or allowed < 0 else max(3, allowed // 2)
    moved = fcntl.fcntl(near.fileno(), fcntl.F_DUPFD_CLOEXEC, least)
    near.close()
    return socket.socket(fileno=moved)
