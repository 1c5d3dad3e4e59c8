# SPDX-License-Identifier: Apache-2.0
"""How values that hold no others are written (clauses 5.7 to 5.17, 5.20)."""

from __future__ import annotations

import binascii
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from isonomy.contract import temporal
from isonomy.contract.decimals import decimal_text, has_too_many_digits
from isonomy.contract.paths import Path
from isonomy.contract.tagged import MAX_DIGITS, Opaque, Tagged
from isonomy.contract.text import plain_tree, str_tree

if TYPE_CHECKING:
    from isonomy.contract.encoding import Walk

_BEYOND: Final = 10**MAX_DIGITS
_BITS: Final = _BEYOND.bit_length()


def _tag(walk: Walk, tag: str, text: str) -> dict[str, str]:
    walk.spend(len(text))
    return {tag: text}


def write_itself(walk: Walk, value: Any, at: Path, depth: int) -> Any:
    """Write what JSON has as it is."""
    del walk, at, depth
    return value


def write_str(walk: Walk, value: str, at: Path, depth: int) -> Any:
    """Write a string (clause 5.10)."""
    del at, depth
    walk.spend(len(value))
    return str_tree(str.__str__(value))


def write_int(walk: Walk, value: int, at: Path, depth: int) -> Any:
    """Write an integer; raises for too many digits (clause 5.8)."""
    del depth
    value = int.__pos__(value)
    bits = value.bit_length()
    if bits > 64:
        if bits >= _BITS and not -_BEYOND < value < _BEYOND:
            return walk.too_many_digits(value, at)
        walk.spend(bits // 4)
    return value


def write_float(walk: Walk, value: float, at: Path, depth: int) -> Any:
    """Write a float (clause 5.9)."""
    del walk, at, depth
    value = float.__pos__(value)
    if value - value:  # neither a number nor finite
        if value != value:  # noqa: PLR0124 - only NaN differs from itself
            return {"$iso:float": "NaN"}
        return {"$iso:float": "Infinity" if value > 0 else "-Infinity"}
    return value


def write_bytes(walk: Walk, value: Any, at: Path, depth: int) -> Any:
    """Write bytes-like values (clauses 5.11, 5.22)."""
    del at, depth
    size = value.nbytes if type(value) is memoryview else len(value)
    walk.spend(size * 4 // 3)
    return {"$iso:bytes": binascii.b2a_base64(bytes(value), newline=False).decode()}


def write_decimal(walk: Walk, value: Decimal, at: Path, depth: int) -> Any:
    """Write a decimal; raises for too many digits (clauses 5.8, 5.12)."""
    del depth
    text = decimal_text(value)
    if has_too_many_digits(value, text):
        return walk.too_many_digits(value, at)
    return _tag(walk, "$iso:decimal", text)


def write_uuid(walk: Walk, value: UUID, at: Path, depth: int) -> Any:
    """Write a UUID (clause 5.17)."""
    del at, depth
    return _tag(walk, "$iso:uuid", str(UUID(int=value.int)))


def write_date(walk: Walk, value: date, at: Path, depth: int) -> Any:
    """Write a date (clause 5.13)."""
    del at, depth
    return _tag(walk, "$iso:date", temporal.date_text(value))


def write_time(walk: Walk, value: time, at: Path, depth: int) -> Any:
    """Write a time (clause 5.14)."""
    del depth
    tagged = temporal.time_tag(value)
    return walk.opaque(value, at) if tagged is None else _tag(walk, *tagged)


def write_datetime(walk: Walk, value: datetime, at: Path, depth: int) -> Any:
    """Write a datetime (clause 5.15)."""
    del depth
    tagged = temporal.datetime_tag(value)
    return walk.opaque(value, at) if tagged is None else _tag(walk, *tagged)


def write_precise_datetime(walk: Walk, value: Any, at: Path, depth: int) -> Any:
    """Write a datetime of a class that adds nanoseconds, such as pandas' Timestamp."""
    del depth
    nanosecond = value.nanosecond
    tagged = temporal.datetime_tag(value, nanosecond) if type(nanosecond) is int else None
    return walk.opaque(value, at) if tagged is None else _tag(walk, *tagged)


def write_duration(walk: Walk, value: timedelta, at: Path, depth: int) -> Any:
    """Write a duration (clause 5.16)."""
    del at, depth
    return _tag(walk, "$iso:duration", temporal.duration_text(value))


def write_tagged(walk: Walk, value: Tagged, at: Path, depth: int) -> Any:
    """Write a tag as it was (clause 5.3)."""
    del at, depth
    walk.spend(len(value.tag))
    return {value.tag: plain_tree(value.payload)}


def write_opaque(walk: Walk, value: Opaque, at: Path, depth: int) -> Any:
    """Write a marker as it was (clause 5.20)."""
    del at, depth
    walk.spend(len(value.type) + len(value.path))
    return {"$iso:opaque": {"type": str_tree(value.type), "path": str_tree(value.path)}}


def write_enum(walk: Walk, value: Enum, at: Path, depth: int) -> Any:
    """Write an enum member: its value (clause 5.23)."""
    return walk.tree(value._value_, at, depth)
