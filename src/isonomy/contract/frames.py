# SPDX-License-Identifier: Apache-2.0
"""The frames in which calls travel between a host and a worker (W2 of spec/wire.md).

Nothing here reads or writes a socket: `Frame.to_bytes` gives what to send, and `FrameBuffer` is
filled by whoever receives.
"""

from __future__ import annotations

from enum import IntEnum
from struct import Struct
from typing import Final, NamedTuple

from isonomy.contract.misuse import IsonomyError

LEAST_LIMIT: Final = 65_536
"""The limit of a frame's length until a handshake has set another (W2.2)."""

_HEADER: Final = Struct(">IBQ")
_LENGTH: Final = Struct(">I")
_LENGTH_BYTES: Final = 4
_FIXED: Final = 9
"""Bytes of a frame behind its length and before its payload."""
_NOTICE: Final = 128
"""From this type on frames are not known to this version and are ignored (W2.3)."""
_CHUNK: Final = 65_536
_KEPT: Final = 1 << 22
"""A buffer that grew beyond this is given back once it is empty."""


class FrameType(IntEnum):
    """What a frame is (W2.3)."""

    HELLO = 1
    WELCOME = 2
    REFUSED = 3
    READY = 4
    FAILED = 5
    CALL = 6
    OUTCOME = 7
    CANCEL = 8
    PROGRESS = 9
    LOG = 10
    CLOSE = 11


_LAST: Final = max(FrameType)


class BrokenWireError(IsonomyError):
    """What came is no frame, or none that may come now; its connection is of no further use."""


class Frame(NamedTuple):
    """One frame: its type, the number of its call (0 where it has none), its JSON."""

    type: int
    number: int = 0
    payload: bytes = b""

    def to_bytes(self) -> bytes:
        """Give the frame as it is sent.

        >>> Frame(FrameType.CANCEL, 5).to_bytes().hex(" ", 4)
        '00 00000908 00000000 00000005'
        """
        kind, number, payload = self
        return _HEADER.pack(_FIXED + len(payload), kind, number) + payload


def header(kind: int, number: int, size: int) -> bytes:
    """Give what stands before a payload of so many bytes, for senders that do not copy it.

    >>> header(FrameType.CANCEL, 5, 0) == Frame(FrameType.CANCEL, 5).to_bytes()
    True
    """
    return _HEADER.pack(_FIXED + size, kind, number)


def fits(payload: bytes, limit: int) -> bool:
    """Tell whether a frame with this payload keeps to the limit of its length (W2.2)."""
    return _FIXED + len(payload) <= limit


class FrameBuffer:
    """Makes frames of a stream of bytes. For one thread at a time.

    To receive: put bytes into `writable()` (`socket.recv_into`), say how many with `received`, and
    take frames with `next` until there is none.
    """

    __slots__ = ("_data", "_start", "_stop", "limit")

    def __init__(self, limit: int = LEAST_LIMIT) -> None:
        #: The greatest length of a frame; may be set between two frames.
        self.limit = limit
        self._data = bytearray(_CHUNK)
        self._start = self._stop = 0

    def writable(self) -> memoryview:
        """Give room for what comes next: all of a frame whose length is known, where it is long.

        Nothing is allocated for a length that `next` refuses.
        """
        have = self._stop - self._start
        if not have:
            self._start = self._stop = 0
            if len(self._data) > _KEPT:
                self._data = bytearray(_CHUNK)
        need = _CHUNK
        if have >= _LENGTH_BYTES:
            need = max(need, _LENGTH_BYTES + self._length() - have)
        if len(self._data) - self._stop < min(need, _CHUNK) or len(self._data) < have + need:
            data = bytearray(max(have + need, _CHUNK)) if len(self._data) < have + need else None
            if data is None:
                self._data[:have] = self._data[self._start : self._stop]
            else:
                data[:have] = memoryview(self._data)[self._start : self._stop]
                self._data = data
            self._start, self._stop = 0, have
        return memoryview(self._data)[self._stop :]

    def received(self, count: int) -> None:
        """Take so many bytes of `writable()`; none are the end of the stream.

        Raises:
            BrokenWireError: The stream ended inside a frame (W2.4).
        """
        self._stop += count
        if not count and self._start != self._stop:
            raise BrokenWireError("the stream ended inside a frame")

    def next(self) -> Frame | None:
        """Take the next frame, or None where it has not come whole.

        Raises:
            BrokenWireError: What comes next is no frame (W2.1 to W2.3).
        """
        while self._stop - self._start >= _LENGTH_BYTES:
            end = self._start + _LENGTH_BYTES + self._length()
            if end > self._stop:
                return None
            _, kind, number = _HEADER.unpack_from(self._data, self._start)
            if number >> 63:
                raise BrokenWireError("a frame has a number of 2^63 or more")
            if not kind or _LAST < kind < _NOTICE:
                raise BrokenWireError(f"a frame is of type {kind}, which is not known")
            start = self._start + _LENGTH_BYTES + _FIXED
            self._start = end
            if kind < _NOTICE:
                return Frame(kind, number, bytes(memoryview(self._data)[start:end]))
        return None

    def _length(self) -> int:
        (length,) = _LENGTH.unpack_from(self._data, self._start)
        if not _FIXED <= length <= self.limit:
            raise BrokenWireError(f"a frame's length is {length}, not {_FIXED} to {self.limit}")
        return int(length)
