# SPDX-License-Identifier: Apache-2.0
"""JSON-RPC messages as bytes (clauses 14.9, 14.14 and 14.22)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import orjson

from isonomy.contract.jsontext import may_nest_deeper, write
from isonomy.contract.tagged import MAX_DEPTH, MAX_DIGITS

SCANNED: Final = 65_536
"""Bytes at either end of a message that is too long in which its id is looked for."""

_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[{\]}:,]|[^\s"\[{\]}:,]+', re.DOTALL)
_LAST_ID: Final = re.compile(rb',\s*"id"\s*:\s*(\d+)\s*(?=[,}])')
_MOST_DIGITS: Final = 18
_MARK: Final = b"\xef\xbb\xbf"
_FIELD: Final = 6
"""Bytes that stand before the data of a server-sent event: `data: `."""


def request(number: int, method: str, params: Mapping[str, Any]) -> bytes:
    """Write a request.

    >>> request(1, "ping", {})
    b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}'
    """
    return write({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def notification(method: str, params: Mapping[str, Any]) -> bytes:
    """Write a notification."""
    return write({"jsonrpc": "2.0", "method": method, "params": params})


def answer(number: Any, method: str) -> bytes:
    """Write the answer to a request of the server: to `ping`, or that there is no such method."""
    if method == "ping":
        return write({"jsonrpc": "2.0", "id": number, "result": {}})
    error = {"code": -32601, "message": "Method not found"}
    return write({"jsonrpc": "2.0", "id": number, "error": error})


def read_message(data: bytes) -> dict[str, Any] | None:
    """Read a message; None where the bytes are no JSON object.

    Lenient, since a reply that is lost is a call without an end: NaN and infinities are read, of
    two members of one name the last counts, and what is no UTF-8 becomes U+FFFD. Nesting beyond
    128 containers, integers of more than 4,300 digits and numbers beyond binary64 are refused.
    """
    try:
        tree = orjson.loads(data)
        if _may_be_rounded(data):
            tree = _read_leniently(data)
    except ValueError:
        tree = _read_leniently(data)
    if type(tree) is not dict:
        return None
    if may_nest_deeper(data, MAX_DEPTH) and _is_deeper(tree, MAX_DEPTH):
        return None
    return tree


def _read_leniently(data: bytes) -> Any:
    """Read what orjson refuses, or would round; None where that is no JSON."""
    try:
        return _lenient.decode(data.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None


def _integer(text: str) -> int:
    if len(text) > MAX_DIGITS and len(text.lstrip("-")) > MAX_DIGITS:
        raise ValueError("an integer of too many digits")
    return int(text)


def _float(text: str) -> float:
    number = float(text)
    if number - number:  # infinite
        raise ValueError("a number beyond binary64")
    return number


_lenient: Final = json.JSONDecoder(parse_int=_integer, parse_float=_float)


def _is_deeper(tree: Any, most: int) -> bool:
    """Tell whether more containers are inside each other, the outermost included."""
    level = [tree]
    for _ in range(most):
        level = [
            item
            for each in level
            for item in (each.values() if type(each) is dict else each)
            if type(item) is dict or type(item) is list
        ]
        if not level:
            return False
    return True


_LONG_NUMBER: Final = re.compile(rb"[0-9]{19}")


def _may_be_rounded(data: bytes) -> bool:
    """Tell whether there may be an integer that orjson reads as a float."""
    return _LONG_NUMBER.search(data) is not None


def id_in(data: bytes) -> int | None:
    """Find the id of a whole message that is broken; None where it is at neither end.

    A line of a log may hold a message as well, and is none.
    """
    if data[:SCANNED].removeprefix(_MARK).lstrip()[:1] != b"{":
        return None
    return id_of(data[:SCANNED], data[-SCANNED:])


def id_of(head: bytes, tail: bytes) -> int | None:
    """Find the id of a message of which only its two ends are known; None where it is in neither.

    >>> id_of(b'{"jsonrpc":"2.0","result":{"id":1},"id":7,', b"")
    7
    """
    found = _id_in_head(head)
    return _id_in_tail(tail) if found is None else found


def _id_in_head(head: bytes) -> int | None:
    depth = 0
    before: list[bytes] = []
    for token in _TOKEN.findall(head):
        if token in (b"{", b"["):
            depth += 1
        elif token in (b"}", b"]"):
            depth -= 1
        elif depth == 1 and before == [b'"id"', b":"]:
            return _number(token)
        before = [*before[-1:], token]
    return None


def _id_in_tail(tail: bytes) -> int | None:
    for match in _LAST_ID.finditer(tail):
        depth = 1
        rest = _TOKEN.findall(tail, match.end())
        for at, token in enumerate(rest):
            depth += (token in (b"{", b"[")) - (token in (b"}", b"]"))
            if depth == 0:
                if at == len(rest) - 1:
                    return _number(match[1])
                break
    return None


def _number(token: bytes) -> int | None:
    return int(token) if token.isdigit() and len(token) <= _MOST_DIGITS else None


class TooLong(NamedTuple):
    """A line of more bytes than the cap: its two ends."""

    head: bytes
    tail: bytes


class Lines:
    """Splits a stream into lines, of which no more than the cap is kept. For one thread.

    One that is too long is given as soon as that is known, for it may have no end: where its first
    bytes have an id, or at its end.

    Args:
        cap: The most bytes of a line.
        at_once: Whether one that is too long is given without an id too.
    """

    def __init__(self, cap: int, *, at_once: bool = False) -> None:
        self._cap = cap
        self._at_once = at_once
        self._looked = self._given = False
        self._parts: list[bytes] = []
        self._size = 0
        self._head = b""

    def feed(self, data: bytes) -> Iterator[bytes | TooLong]:
        """Take what came, and give the lines that are complete."""
        *ends, rest = data.split(b"\n")
        for end in ends:
            self._add(end)
            given = self._given
            line = self._taken()
            if not given:
                yield line
        self._add(rest)
        if self._size > self._cap and not self._looked:
            self._looked = True
            self._given = self._at_once or _id_in_head(self._head) is not None
            if self._given:
                yield TooLong(self._head, b"")

    def _add(self, part: bytes) -> None:
        self._parts.append(part)
        self._size += len(part)
        if self._size > self._cap:
            whole = b"".join(self._parts)
            if not self._head:
                self._head = whole[:SCANNED]
            self._parts = [whole[-SCANNED:]]

    def _taken(self) -> bytes | TooLong:
        line = b"".join(self._parts)
        taken: bytes | TooLong = line
        if self._size > self._cap:
            taken = TooLong(self._head, line[-SCANNED:])
        self._parts, self._size, self._head = [], 0, b""
        self._looked = self._given = False
        return taken


class Events:
    """Splits a stream of server-sent events into their data. For one thread.

    Lines end with CR, LF or both.

    Args:
        cap: The most bytes of one event's data.
    """

    def __init__(self, cap: int) -> None:
        self._cap = cap
        self._lines = Lines(cap + _FIELD, at_once=True)
        self._data: list[bytes] = []
        self._size = 0
        self._is_cut = False
        self._after_cr = False

    def feed(self, data: bytes) -> Iterator[bytes | TooLong]:
        """Take what came, and give the events that are complete."""
        if self._after_cr and data.startswith(b"\n"):
            data = data[1:]  # of the same end
        self._after_cr = data.endswith(b"\r")
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        for line in self._lines.feed(data):
            if isinstance(line, TooLong):
                if not self._is_cut:
                    yield TooLong(line.head.removeprefix(b"data:"), line.tail)
                self._is_cut, self._data = True, []
                continue
            text = line.removeprefix(_MARK)
            if not text:
                if self._data:
                    yield b"\n".join(self._data)
                self._data, self._size, self._is_cut = [], 0, False
            elif text.startswith(b"data:") and not self._is_cut:
                self._data.append(text[5:].removeprefix(b" "))
                self._size += len(text)
                if self._size > self._cap + _FIELD:
                    whole = b"\n".join(self._data)
                    yield TooLong(whole[:SCANNED], whole[-SCANNED:])
                    self._is_cut, self._data = True, []
