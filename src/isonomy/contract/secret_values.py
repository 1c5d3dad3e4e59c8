# SPDX-License-Identifier: Apache-2.0
"""Texts of injected values, in every form in which they may stand in a failure (clause 12.5)."""

from __future__ import annotations

import binascii
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Set
from itertools import islice
from typing import Any, Final

from isonomy.contract.foreign import FAILED, attempt
from isonomy.contract.secret_rules import DEFAULT_RULES, REDACTED
from isonomy.contract.shapes import fields_of
from isonomy.contract.text import without_surrogates

MIN_SECRET: Final = 4
"""Characters from which on the text of an injected value is replaced."""

_MAX_PARTS: Final = 10_000
"""Parts of injected values that are looked at: some hold very much, or have no end."""
_BYTES: Final = (bytes, bytearray, memoryview)
_LISTS: Final = (list, tuple, deque, Set)
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
        for part in _parts(values):
            if isinstance(part, str):
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
            at = text.find(secret)
            while at >= 0:
                end = at + len(secret)
                found.append((at, end))
                at = text.find(secret, end)
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


def _parts(values: Iterable[Any]) -> Iterator[Any]:
    """Give the strings and bytes that are secret in values, at any depth."""
    rest: list[tuple[Any, bool]] = [(value, True) for value in values]
    seen: dict[int, Any] = {}  # which keeps what it knows, so that no number is given twice
    for _ in range(_MAX_PARTS):
        if not rest:
            return
        value, is_data = rest.pop()
        if isinstance(value, (str, *_BYTES)):
            if is_data:
                yield value
        elif id(value) not in seen:
            seen[id(value)] = value
            below = attempt(_below, value, is_data)
            rest.extend([] if below is FAILED else below)


def _below(value: Any, is_data: bool) -> list[tuple[Any, bool]]:
    """Give what is in a value, and whether its strings count: an object is more than data."""
    kind = type(value)
    reveal = getattr(kind, "get_secret_value", None)
    if reveal is not None:
        return [(reveal(value), True)]
    read = fields_of(kind)
    if read is not None:
        return [(item, DEFAULT_RULES.is_secret(name)) for name, item in read(value)]
    if isinstance(value, Mapping):
        pairs = islice(value.items(), _MAX_PARTS)
        return [(item, is_data or _is_secret(key)) for key, item in pairs]
    if isinstance(value, _LISTS):
        return [(item, is_data) for item in islice(value, _MAX_PARTS)]
    return []


def _is_secret(key: Any) -> bool:
    return isinstance(key, str) and DEFAULT_RULES.is_secret(str.__str__(key))


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
