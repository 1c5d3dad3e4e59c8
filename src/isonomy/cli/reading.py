# SPDX-License-Identifier: Apache-2.0
"""Request events, one a line: in Isonomy's own form, or as a message with `tool_calls`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

from isonomy.cli.forms import FormError, read_event
from isonomy.contract.call import ToolCall
from isonomy.contract.canonical import digest
from isonomy.contract.portable import PortableError, decode

LONGEST_LINE = 64 * 1024 * 1024
"""Bytes of a line; a longer one is a bad line, so that memory stays bounded."""

SKIPPED_AT_ONCE = 1024 * 1024
"""Bytes that are read at once of the rest of a line that is too long."""

BOM = b"\xef\xbb\xbf"


class ReadFailed(Exception):  # noqa: N818 - named for what happened, like ToolFailed
    """Raised where the next line cannot be read; its message is the system's."""


class Request(NamedTuple):
    """The calls of one line; `id` is the event's own, or made from the line and its occurrence."""

    line: int
    id: str
    calls: list[ToolCall]


class BadLine(NamedTuple):
    """A line that holds no request; `problem` says why and what to do."""

    line: int
    problem: str


class RequestReader:
    """Reads requests from a binary stream, one line at a time.

    Lines end with a line feed; blank ones are skipped. An event without an id gets as its id the
    digest (clause 6.2) of the list of the event and its occurrence, which counts from 1 the equal
    events without an id up to it.

    Args:
        stream: Where the lines come from; it is read no further than the line in hand.
        longest: Bytes of the longest line that is taken.
    """

    def __init__(self, stream: BinaryIO, longest: int = LONGEST_LINE) -> None:
        self._stream = stream
        self._longest = longest
        self._line = 0
        self._seen: Counter[bytes] = Counter()
        self.bytes_read = 0

    def __iter__(self) -> Iterator[Request | BadLine]:
        """Yield each line's request, or what is wrong with the line; raises `ReadFailed`."""
        while text := self._next_line():
            try:
                if text.strip() or len(text) > self._longest:
                    yield self._request(text)
            except FormError as bad:
                yield BadLine(self._line, str(bad))

    def _next_line(self) -> bytes:
        text = self._read(self._longest + 1)
        self._line += 1
        if len(text) > self._longest and not text.endswith(b"\n"):
            while rest := self._read(SKIPPED_AT_ONCE):
                if rest.endswith(b"\n"):
                    break
        return text.removeprefix(BOM) if self._line == 1 else text

    def _read(self, most: int) -> bytes:
        try:
            text = self._stream.readline(most)
        except OSError as failed:
            raise ReadFailed(failed.strerror) from failed
        self.bytes_read += len(text)
        return text

    def _request(self, text: bytes) -> Request:
        if len(text) > self._longest:
            raise FormError(f"the line is longer than {self._longest} bytes; split the request")
        try:
            event = decode(text.rstrip(b"\r\n"))
        except PortableError as refused:
            raise FormError(
                f"the line is not JSON: {refused.message}; write one request a line"
            ) from None
        own_id, calls = read_event(event)
        return Request(self._line, self._made_id(event) if own_id is None else own_id, calls)

    def _made_id(self, event: Any) -> str:
        once = bytes.fromhex(digest([event, 1]))
        # Half of the digest tells lines apart for counting; the id is made from the whole event.
        self._seen[once[:16]] += 1
        occurrence = self._seen[once[:16]]
        return once.hex() if occurrence == 1 else digest([event, occurrence])
