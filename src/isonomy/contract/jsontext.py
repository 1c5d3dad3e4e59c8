# SPDX-License-Identifier: Apache-2.0
"""JSON text and JSON trees: strict reading, compact writing (clauses 5.5 to 5.8 and 5.28).

A *tree* is what JSON itself has: None, bool, int, float, str, list, dict with string keys. Tags are
objects in a tree like any other.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final, NoReturn

import orjson

from isonomy.contract.paths import key_step
from isonomy.contract.tagged import MAX_DIGITS, MAX_NESTING, TOO_MANY_DIGITS, PortableError
from isonomy.contract.text import without_surrogates

Data = bytes | bytearray | memoryview | str

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]', re.DOTALL)
_HUGE: Final = object()
_LONG: Final = 16_384
_DOLLAR: Final = ord("$")
_BACKSLASH: Final = ord("\\")

_dumps = orjson.dumps
_loads = orjson.loads


def parse(data: Data) -> Any:
    """Read JSON text as a tree; raises `PortableError` of kind `malformed` or `too_large`.

    Strict: broken JSON, NaN and Infinity, numbers that overflow, trailing text, duplicate keys and
    nesting beyond 512 are refused; integers of up to 4,300 digits are exact.
    """
    # orjson is fast but lenient: it takes the last of duplicate keys, and rounds integers beyond 64
    # bits. Where writing what it read gives the very bytes again, it was lenient about nothing.
    # What a foreign writer laid out differently is read again, strictly.
    try:
        if isinstance(data, str):
            data = data.encode()
        tree = _loads(data)
        if _dumps(tree) == data:
            return tree
    except (ValueError, TypeError):
        pass  # not for orjson, which does not make it malformed
    return _parse_strictly(_text(data))


def may_hold_tags(data: Data) -> bool:
    """Tell whether JSON text may hold a tag, so that its tree has to be walked."""
    if type(data) is not bytes:
        return True
    if _DOLLAR not in data and _BACKSLASH not in data:
        return False
    return b'"$iso:' in data or b"\\u" in data


def may_nest_deeper(data: Data, depth: int) -> bool:
    """Tell whether JSON text has so many brackets that it may nest deeper than this."""
    if len(data) < 2 * depth or not isinstance(data, bytes):
        return len(data) >= 2 * depth
    if len(data) < _LONG:
        return len(data) - len(data.translate(None, b"[{")) > depth
    # Searching leaps over long strings, where translating steps; many objects end it soon.
    return _count(data, b"[", depth) + _count(data, b"{", depth) > depth


def _count(data: bytes, byte: bytes, most: int) -> int:
    """Count a byte, up to one more than so many."""
    count = at = 0
    while count <= most and (at := data.find(byte, at) + 1):
        count += 1
    return count


def nests_deeper(tree: Any, depth: int) -> bool:
    """Tell whether the tree of a text that orjson has read nests deeper than this."""
    for _ in range(_CAPACITY - depth):
        tree = [tree]
    try:
        _dumps(tree)
    except TypeError:
        return True
    return False


def _capacity() -> int:
    """Count how deep orjson writes; it refuses what is deeper."""
    tree: list[Any] = []
    for depth in range(1, MAX_NESTING):
        try:
            _dumps(tree)
        except TypeError:
            return depth - 1
        tree = [tree]
    return MAX_NESTING


def write(tree: Any) -> bytes:
    """Write a tree as compact UTF-8 JSON; a lone surrogate in a string becomes U+FFFD.

    The tree of a portable value has none; names and ids that a model sent may have some.
    """
    try:
        return _dumps(tree)
    except TypeError:  # integers beyond 64 bits, nesting beyond 254, or lone surrogates
        text = json.dumps(tree, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return without_surrogates(text).encode()


def _text(data: Data) -> str:
    try:
        text = data if isinstance(data, str) else str(data, "utf-8")
    except UnicodeDecodeError:
        raise _malformed("it is not UTF-8") from None
    return text[1:] if text.startswith("\ufeff") else text


def _parse_strictly(text: str) -> Any:
    if text.count("[") + text.count("{") > MAX_NESTING:
        _check_nesting(text)
    try:
        return _decoder.decode(text)
    except _TooManyDigitsError:
        path = _path_to_huge(_huge_decoder.decode(text), "$")
        raise PortableError("too_large", f"{path}: {TOO_MANY_DIGITS}", path) from None
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if error.lineno > 1 else ""
        raise _malformed(f"{error.msg} at {line}column {error.colno}") from None
    except RecursionError:
        raise _malformed("it is nested deeper than the stack of this thread allows") from None


def _check_nesting(text: str) -> None:
    depth = 0
    for token in _TOKEN.finditer(text):
        first = text[token.start()]
        if first in "[{":
            depth += 1
            if depth > MAX_NESTING:
                raise _malformed(f"it is nested deeper than {MAX_NESTING}")
        elif first in "]}":
            depth -= 1


class _TooManyDigitsError(Exception):
    """An integer that is too long; where it stands is found by a second reading."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]  # add gives None
        raise _malformed(f"the key {json.dumps(twice):.100} appears twice")
    return made


def _integer(text: str) -> int:
    if len(text) > MAX_DIGITS and len(text.lstrip("-")) > MAX_DIGITS:
        raise _TooManyDigitsError
    return int(text)


def _integer_or_huge(text: str) -> Any:
    return _HUGE if len(text.lstrip("-")) > MAX_DIGITS else int(text)


def _float(text: str) -> float:
    number = float(text)
    if number - number:  # infinite
        raise _malformed("a number is too large for a binary64")
    return number


def _constant(name: str) -> NoReturn:
    raise _malformed(f"{name} is no JSON number")


def _malformed(reason: str) -> PortableError:
    return PortableError("malformed", f"malformed JSON: {reason}")


def _path_to_huge(tree: Any, path: str) -> str:
    """Give the path of the first integer that was too long, in order; "" where there is none."""
    if tree is _HUGE:
        return path
    steps: Any = ()
    if isinstance(tree, dict):
        steps = ((path + key_step(key), tree[key]) for key in tree)
    elif isinstance(tree, list):
        steps = ((f"{path}[{index}]", item) for index, item in enumerate(tree))
    return next((found for at, item in steps if (found := _path_to_huge(item, at))), "")


_decoder = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_float, parse_constant=_constant
)
_huge_decoder = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer_or_huge, parse_float=_float
)
_CAPACITY: Final = _capacity()
