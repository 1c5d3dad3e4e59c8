# SPDX-License-Identifier: Apache-2.0
"""Short texts of values for `repr`: what a person can read in a console, whatever a tool returned.

They are for people: nothing reads them, and what is left out stands as `...`.
"""

from __future__ import annotations

from collections.abc import Sequence
from reprlib import Repr
from typing import Any, Final

_LONGEST: Final = 300
"""Code points of the text of one value."""
_WIDEST: Final = 1_024
"""Bits of an integer that is written out; Python refuses to write very long ones."""


class _Brief(Repr):
    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 4
        self.maxdict = self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = 6
        self.maxstring = self.maxother = 200

    def repr_int(self, number: int, _level: int) -> str:
        if number.bit_length() > _WIDEST:
            return f"<int of {number.bit_length()} bits>"
        return repr(number)

    def repr_bytes(self, data: bytes, _level: int) -> str:
        if len(data) <= self.maxstring:
            return repr(data)
        return f"{data[: self.maxstring]!r}..."


_brief = _Brief()


def brief(value: Any) -> str:
    """Give the `repr` of a value in at most 300 code points.

    >>> brief(list(range(1000)))
    '[0, 1, 2, 3, 4, 5, ...]'
    """
    text = _brief.repr(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def brief_of(type_name: str, /, **fields: Any) -> str:
    """Give a `repr` of a type and its fields, each in brief, without those that are None.

    >>> brief_of("Point", x=0, y=None, label="a" * 1000)[:24]
    "Point(x=0, label='aaaaaa"
    """
    given = {name: value for name, value in fields.items() if value is not None}
    return f"{type_name}({', '.join(f'{name}={brief(value)}' for name, value in given.items())})"


def brief_list(items: Sequence[Any], most: int = 3) -> str:
    """Give the `repr` of the first items of a sequence, and how many there are beyond them.

    >>> brief_list(range(100))
    '(0, 1, 2, ... 97 more)'
    """
    shown = [repr(item) for item in items[:most]]
    if len(items) > most:
        shown.append(f"... {len(items) - most} more")
    return f"({', '.join(shown)}{',' if len(items) == 1 else ''})"
