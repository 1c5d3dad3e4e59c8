# SPDX-License-Identifier: Apache-2.0
"""Plain JSON values as JSON Schema compares them: numbers exactly and by value, 1 as 1.0."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

_BOOLEAN: Final = object()
_LARGE: Final = object()

#: From here on numbers share hashes, so that a text can be made whose numbers all have the same.
_HASHED_APART: Final = 2**61 - 1
_KINDS: Final = {"string": str, "boolean": bool, "object": dict, "array": list}


def is_number(value: Any) -> bool:
    """Tell whether a plain value is a number."""
    return type(value) is int or type(value) is float


def is_of_type(value: Any, name: str) -> bool:
    """Tell whether a plain value has the JSON type of a name; 1.0 is an integer."""
    if name == "integer":
        return type(value) is int or (type(value) is float and value.is_integer())
    if name == "number":
        return is_number(value)
    return value is None if name == "null" else type(value) is _KINDS[name]


def is_multiple(value: float, of: float) -> bool:
    """Tell whether a number is a multiple of another, both as they are written in decimals.

    >>> is_multiple(0.3, 0.1), is_multiple(9007199254740993, 2)
    (True, False)
    """
    if type(value) is int and type(of) is int:
        return value % of == 0
    return (_exact(value) / _exact(of)).denominator == 1


def equal(left: Any, right: Any) -> bool:
    """Tell whether two plain values are equal; true is not 1.

    >>> equal({"a": [1, True]}, {"a": [1.0, True]}), equal(True, 1)
    (True, False)
    """
    return left == right and (type(left) is str or _key(left) == _key(right))


def distinct(items: Sequence[Any]) -> bool:
    """Tell whether no two items are equal."""
    return len({_key(item) for item in items}) == len(items)


def _exact(number: float) -> Fraction:
    return Fraction(number if type(number) is int else Decimal(repr(number)))


def _key(value: Any) -> Any:
    """Return what equals that of another value exactly where the values are equal."""
    kind = type(value)
    if kind is bool:
        return _BOOLEAN, value
    if kind is list:
        return tuple(map(_key, value))
    if kind is dict:
        return frozenset((name, _key(item)) for name, item in value.items())
    if (kind is int or kind is float) and abs(value) >= _HASHED_APART:
        return _LARGE, hex(int(value))
    return value
