# SPDX-License-Identifier: Apache-2.0
"""Texts of injected values, in every form in which they may stand in a failure (clause 12.5)."""

from __future__ import annotations

import binascii
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice
from typing import Any, Final

from isonomy.contract.foreign import FAILED, attempt
from isonomy.contract.misuse import Misuse
from isonomy.contract.secret_rules import DEFAULT_RULES, REDACTED
from isonomy.contract.shapes import fields_of
from isonomy.contract.text import without_surrogates

MIN_SECRET: Final = 4
"""Characters from which on the text of an injected value is replaced."""

_MAX_ROOM: Final = 100_000_000
_PER_PART: Final = 100
"""Parts that are looked at: a million, or as many scalars for each of them; some have no end."""
_MAX_TEXTS: Final = 100_000
_TOO_MUCH: Final = (
    "injected values hold too much to be searched for secrets (12.5): more than 1,000,000 parts or "
    "100,000 texts; mark the parameter that takes it as no secret, with Injected(secret=False)"
)
_BYTES: Final = (bytes, bytearray, memoryview)
_LISTS: Final = (list, tuple, set, frozenset, deque, Set, Sequence)
_SHORT: Final = {
    '"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r",
}  # fmt: skip
_UNRESERVED: Final = frozenset(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
)


class SecretValues:
    r"""What must not be seen of injected values. Iterating gives its texts, the longest first.

    >>> SecretValues(["it's\n"]).replaced("got it's\\n")
    'got [redacted]'
    """

    __slots__ = ("_bytes", "_texts")

    def __init__(self, values: Iterable[Any] = ()) -> None:
        texts: set[str] = set()
        raw: set[bytes] = set()
        for part in _Search().parts(values):
            if len(raw) > _MAX_TEXTS:
                raise Misuse(_TOO_MUCH)
            if issubclass(type(part), str):
                text = str.__str__(part)
                if len(text) >= MIN_SECRET and text not in REDACTED:
                    texts.update(_forms(text))
                    raw.add(without_surrogates(text).encode())
            else:
                data = bytes(part)
                if len(data) >= MIN_SECRET:
                    texts.update(_forms_of_bytes(data))
                    raw.add(data)
        self._texts = sorted(texts, key=len, reverse=True)
        self._bytes = sorted(raw)

    @staticmethod
    def of(secrets: Iterable[Any]) -> SecretValues:
        """Give the secrets of values; itself where it is given such."""
        if type(secrets) is SecretValues:
            return secrets
        return SecretValues(secrets) if secrets else NONE

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __bool__(self) -> bool:
        return bool(self._texts)

    @property
    def longest(self) -> int:
        """Characters of the longest text."""
        return len(self._texts[0]) if self._texts else 0

    def are_in(self, data: bytes) -> bool:
        """Tell whether one of them stands in bytes, as UTF-8."""
        return any(secret in data for secret in self._bytes)

    def replaced(self, text: str) -> str:
        """Give a text with `[redacted]` for each of them; occurrences that overlap are one."""
        found: list[tuple[int, int]] = []
        for secret in self._texts:
            size = len(secret)
            at = text.find(secret)
            while at >= 0:
                start = at
                # the last one that begins in this one, and again: `abab` twice in `ababab`
                while (last := text.rfind(secret, at + 1, at + 2 * size - 1)) >= 0:
                    at = last
                found.append((start, at + size))
                at = text.find(secret, at + size)
        if not found:
            return text
        found.sort()
        pieces: list[str] = []
        done = 0
        begin, end = found[0]
        for start, stop in found[1:]:
            if start < end:
                end = max(end, stop)
            else:
                pieces += [text[done:begin], REDACTED]
                done, begin, end = end, start, stop
        return "".join([*pieces, text[done:begin], REDACTED, text[end:]])


class _Search:
    """Finds the strings and bytes that are secret in values, at any depth."""

    def __init__(self) -> None:
        self._rest: list[tuple[Any, bool]] = []
        self._seen: dict[int, tuple[Any, bool]] = {}  # holds what it knows: no number comes twice
        self._room = _MAX_ROOM

    def parts(self, values: Iterable[Any]) -> Iterator[Any]:
        """Give them; raises `Misuse` where there is too much to look at: none is passed over."""
        self._add(values, is_data=True)
        while self._rest:
            value, is_data = self._rest.pop()
            if issubclass(type(value), (str, *_BYTES)):
                if is_data:
                    yield value
                continue
            _, known = self._seen.get(id(value), (None, None))
            if known is None or (is_data and not known):
                self._seen[id(value)] = (value, is_data)
                attempt(self._below, value, is_data)  # what it gave before it raised counts
        if self._room < 0:
            raise Misuse(_TOO_MUCH)

    def _below(self, value: Any, is_data: bool) -> None:
        """Add what is in a value, and whether its strings count: an object is more than data."""
        kind = type(value)
        reveal = getattr(kind, "get_secret_value", None)
        if reveal is not None:
            self._add([reveal(value)], is_data=True)
            return
        read = fields_of(kind)
        if read is not None:
            for name, item in read(value):
                self._add([item], is_data=DEFAULT_RULES.is_secret(name))
        elif issubclass(kind, (dict, Mapping)):
            for key, item in islice(value.items(), len(value)):
                self._add([item], is_data=is_data or _is_secret(key))
        elif issubclass(kind, _LISTS) and not issubclass(kind, range):
            self._add(islice(value, len(value)), is_data=is_data)

    def _add(self, items: Iterable[Any], *, is_data: bool) -> None:
        for item in items:
            kind = type(item)  # which may not be hashable
            scalar = item is None or kind is int or kind is float or kind is bool
            self._room -= 1 if scalar else _PER_PART
            if self._room < 0:
                self._rest.clear()
                raise Misuse(_TOO_MUCH)
            if not scalar:
                self._rest.append((item, is_data))


def _is_secret(key: Any) -> bool:
    return issubclass(type(key), str) and DEFAULT_RULES.is_secret(str.__str__(key))


def _forms(text: str) -> Iterator[str]:
    """Give a text as it is and as it is escaped."""
    for each in {text, without_surrogates(text)}:
        pieces = [repr(piece)[1:-1] for piece in each.split("'")]
        yield each
        yield _json(each, to_ascii=False)
        yield _json(each, to_ascii=True)
        yield _json(each, to_ascii=True, digits="04X")
        yield "'".join(pieces)
        yield "\\'".join(pieces)
    data = without_surrogates(text).encode()
    yield "".join(chr(byte) if byte in _UNRESERVED else f"%{byte:02X}" for byte in data)


def _forms_of_bytes(data: bytes) -> Iterator[str]:
    pieces = [repr(piece)[2:-1] for piece in data.split(b"'")]
    yield "'".join(pieces)
    yield "\\'".join(pieces)
    yield binascii.b2a_base64(data, newline=False).decode()
    text = attempt(data.decode)
    if text is not FAILED and len(text) >= MIN_SECRET and text not in REDACTED:
        yield from _forms(text)


def _json(text: str, *, to_ascii: bool, digits: str = "04x") -> str:
    """Give the inside of a JSON string."""
    pieces = []
    for char in text:
        if char in _SHORT:
            pieces.append(_SHORT[char])
        elif char < " " or (to_ascii and char > "~"):
            units = char.encode("utf-16-be", "surrogatepass")
            codes = (units[at] << 8 | units[at + 1] for at in range(0, len(units), 2))
            pieces += [f"\\u{code:{digits}}" for code in codes]
        else:
            pieces.append(char)
    return "".join(pieces)


NONE: Final = SecretValues()
"""No secrets."""
