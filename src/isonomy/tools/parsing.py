# SPDX-License-Identifier: Apache-2.0
"""From JSON text to plain JSON values, strictly and exactly (clause 7.1)."""

from __future__ import annotations

import json
import re
from typing import Any, Final

import orjson

from isonomy.tools.violations import MAX_DEPTH, WHOLE, Step, Violation, message_of, path_of

MAX_DIGITS: Final = 4_300
"""Digits that an integer may have (clause 5.8)."""

_INT64 = 2.0**63
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"?|(?P<bracket>[\[\]{}])', re.DOTALL)


class BrokenText(Exception):  # noqa: N818 - it is a verdict on what was sent, not an error of ours
    """Raised when a text is not JSON as clause 7.1 asks; holds the one rule that it breaks."""

    def __init__(self, rule: str, path: str = WHOLE) -> None:
        self.violation = Violation(path, rule, message_of(rule, None))
        super().__init__(f"{path}: {self.violation.message}")


def parse_text(text: str | bytes, max_depth: int = MAX_DEPTH) -> Any:
    """Parse plain JSON text: no tags, integers and floats apart and exact.

    A leading byte order mark is skipped; escapes of lone surrogates are kept as they are.

    Args:
        text: The text, or its UTF-8 bytes.
        max_depth: How many containers may stand inside each other, the outermost included.

    Raises:
        BrokenText: It is not JSON, has a key twice, is nested too deep, or holds a number that
            overflows or an integer of more than 4,300 digits.

    >>> parse_text('{"id": 18446744073709551616, "rate": 1.0}')
    {'id': 18446744073709551616, 'rate': 1.0}
    """
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError:
            raise BrokenText("json") from None
    text = text.removeprefix("\ufeff")
    try:
        tree = orjson.loads(text)
        if _keys(tree, max_depth) == text.count(":"):
            return tree
    except (orjson.JSONDecodeError, _Inexact):
        pass
    return _parse_slowly(text, max_depth)


def is_blank(text: str | bytes) -> bool:
    r"""Tell whether a text has nothing but white space of JSON, after a byte order mark or not.

    >>> is_blank(" \n"), is_blank("\u00a0")
    (True, False)
    """
    if isinstance(text, bytes):
        return not text.removeprefix(b"\xef\xbb\xbf").strip(b" \t\n\r")
    return not text.removeprefix("\ufeff").strip(" \t\n\r")


class _Inexact(Exception):  # noqa: N818 - it says only that the slow reading must decide
    """Raised where the fast reading may differ from the text."""


def _keys(tree: Any, room: int) -> int:
    """Count the keys of a tree: as many as its text has colons, unless a key stands twice.

    A colon inside a string makes the text have more of them, which only sends it to the slow
    reading. The fast one turns integers beyond 64 bits into floats, so none of that size is
    believed.
    """
    kind = type(tree)
    if kind is dict:
        count = len(tree)
        items = tree.values()
    elif kind is list:
        count = 0
        items = tree
    else:
        count, items = 0, (tree,)
        room += 1
    if room < 1:
        raise _Inexact
    for item in items:
        kind = type(item)
        if kind is dict or kind is list:
            count += _keys(item, room - 1)
        elif kind is float and not -_INT64 < item < _INT64:
            raise _Inexact
    return count


class _Pairs(list[tuple[str, Any]]):
    """An object as its text has it, before the first of two equal keys is lost."""


def _parse_slowly(text: str, max_depth: int) -> Any:
    place, closing = _too_deep(text, max_depth)
    if place is not None:
        # What is broken before that place is broken JSON; with a value there, the rest is JSON.
        _load(f"{text[:place]}0{closing}")
        raise BrokenText("depth")
    return _merged(_load(text), [])


def _load(text: str) -> Any:
    try:
        return json.loads(
            text,
            object_pairs_hook=_Pairs,
            parse_int=_integer,
            parse_float=_float,
            parse_constant=_constant,
        )
    except ValueError:
        raise BrokenText("json") from None


def _too_deep(text: str, max_depth: int) -> tuple[int | None, str]:
    """Return where the first container too many begins, and what closes those around it."""
    opened: list[str] = []
    for found in _BRACKET.finditer(text):
        bracket = found["bracket"]
        if not bracket:
            continue
        if bracket in "]}":
            if opened:
                opened.pop()
        elif len(opened) == max_depth:
            return found.start(), "".join(reversed(opened))
        else:
            opened.append("]" if bracket == "[" else "}")
    return None, ""


def _merged(tree: Any, steps: list[Step]) -> Any:
    if type(tree) is _Pairs:
        made: dict[str, Any] = {}
        for key, item in tree:
            if key in made:
                raise BrokenText("duplicate", path_of([*steps, key]))
            made[key] = _merged(item, [*steps, key])
        return made
    if type(tree) is list:
        return [_merged(item, [*steps, at]) for at, item in enumerate(tree)]
    return tree


def _integer(digits: str) -> int:
    if len(digits.lstrip("-")) > MAX_DIGITS:
        raise ValueError
    return int(digits)


def _float(text: str) -> float:
    number = float(text)
    if number - number != 0.0:
        raise ValueError
    return number


def _constant(name: str) -> float:
    raise ValueError(name)
