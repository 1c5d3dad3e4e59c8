# SPDX-License-Identifier: Apache-2.0
"""From values to a JSON tree: the exact walk (clauses 5.7 to 5.27).

`portable.encode` takes it wherever a value is more than plain JSON.
"""

from __future__ import annotations

import binascii
from array import array
from collections import deque
from collections.abc import Callable, Mapping, Sequence, Set
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from itertools import islice
from typing import Any, Final
from uuid import UUID

from isonomy.contract import temporal
from isonomy.contract.canonical import canonical_tree
from isonomy.contract.decimals import decimal_text, has_too_many_digits
from isonomy.contract.foreign import FAILED, attempt, type_name
from isonomy.contract.jsontext import TOO_MANY_DIGITS, key_step
from isonomy.contract.numeric import number_writer
from isonomy.contract.response import ToolFailure, ToolResponse, ToolSuccess
from isonomy.contract.responses import write_response
from isonomy.contract.shapes import fields_of
from isonomy.contract.tagged import MAX_DEPTH, MAX_DIGITS, TAG, Opaque, PortableError, Tagged
from isonomy.contract.text import map_tree, object_tree, plain_tree, str_tree

Writer = Callable[["Walk", Any, Any, int], Any]
Path = tuple[Any, str | int] | None
"""The path of a value, as steps linked to their parents; text is made of it only when needed."""

_BEYOND: Final = 10**MAX_DIGITS
_BITS: Final = _BEYOND.bit_length()
_UNLIMITED: Final = 1 << 62


class Walk:
    """One walk over one value; `room` is how many bytes may still come at least."""

    __slots__ = ("_active", "_limit", "_room", "_strict")

    def __init__(self, *, strict: bool = False, max_bytes: int | None = None) -> None:
        self._active: set[int] = set()
        self._limit = max_bytes
        self._room = _UNLIMITED if max_bytes is None else max_bytes
        self._strict = strict

    def tree(self, value: Any, at: Path = None, depth: int = 1) -> Any:
        """Give the tree of a value; `depth` is the one it has if it is a container."""
        writer = _SURE.get(type(value))
        if writer is not None:
            return writer(self, value, at, depth)
        made = attempt(_write, self, value, at, depth)
        return self.opaque(value, at) if made is FAILED else made

    def root(self, value: Any) -> Any:
        """Give the tree of a whole value."""
        made = attempt(self.tree, value)
        return self.opaque(value, None) if made is FAILED else made

    def opaque(self, value: Any, at: Path) -> Any:
        """Give the marker of a value without a portable form; raises when strict."""
        name = type_name(type(value))
        path = path_text(at)
        if self._strict:
            message = f"{path}: a value of type {name} has no portable form"
            raise PortableError("result_conversion", message, path)
        self.spend(len(name) + len(path))
        return {"$iso:opaque": {"type": name, "path": str_tree(path)}}

    def enter(self, value: Any, depth: int) -> bool:
        """Tell whether a container may be walked: no cycle, not too deep. `leave` it then."""
        if depth > MAX_DEPTH or id(value) in self._active:
            return False
        self._active.add(id(value))
        return True

    def leave(self, value: Any) -> None:
        """Come out of a container."""
        self._active.discard(id(value))

    def expect(self, size: int) -> None:
        """Raise where this many bytes, which are still to be spent, would be too many."""
        if size > self._room:
            raise too_large(self._limit or 0)

    def spend(self, size: int) -> None:
        """Count bytes that the encoding has at least; raises once there are too many."""
        self._room -= size
        if self._room < 0:
            raise too_large(self._limit or 0)

    def items(self, values: Any, at: Path, depth: int) -> list[Any]:
        """Give the trees of the items of a sequence."""
        self.spend(2 * len(values))
        tree = self.tree
        return [tree(item, (at, index), depth + 1) for index, item in enumerate(values)]


def too_large(max_bytes: int) -> PortableError:
    """Give the refusal of a value whose encoding is too long (clause 5.29)."""
    return PortableError("too_large", f"the result takes more than {max_bytes} bytes")


def path_text(at: Any) -> str:
    """Give the text of a path (clause 5.27)."""
    steps = []
    while at is not None:
        at, step = at
        steps.append(f"[{step}]" if type(step) is int else step)
    return "$" + "".join(reversed(steps))


def _tag(walk: Walk, tag: str, text: str) -> dict[str, str]:
    walk.spend(len(text))
    return {tag: text}


# Scalars


def _as_is(walk: Walk, value: Any, at: Any, depth: int) -> Any:
    del walk, at, depth
    return value


def _str(walk: Walk, value: str, at: Any, depth: int) -> Any:
    del at, depth
    walk.spend(len(value))
    return str_tree(str.__str__(value))


def _int(walk: Walk, value: int, at: Any, depth: int) -> int:
    del depth
    value = int.__pos__(value)
    bits = value.bit_length()
    if bits > 64:
        if bits >= _BITS and not -_BEYOND < value < _BEYOND:
            path = path_text(at)
            raise PortableError("too_large", f"{path}: {TOO_MANY_DIGITS}", path)
        walk.spend(bits // 4)
    return value


def _float(walk: Walk, value: float, at: Any, depth: int) -> Any:
    del walk, at, depth
    value = float.__pos__(value)
    if value - value:  # neither a number nor finite
        if value != value:  # noqa: PLR0124 - only NaN differs from itself
            return {"$iso:float": "NaN"}
        return {"$iso:float": "Infinity" if value > 0 else "-Infinity"}
    return value


def _bytes(walk: Walk, value: Any, at: Any, depth: int) -> Any:
    del at, depth
    size = value.nbytes if type(value) is memoryview else len(value)
    walk.spend(size * 4 // 3)
    return {"$iso:bytes": binascii.b2a_base64(bytes(value), newline=False).decode()}


def _decimal(walk: Walk, value: Decimal, at: Any, depth: int) -> Any:
    del depth
    text = decimal_text(value)
    if has_too_many_digits(value, text):
        path = path_text(at)
        raise PortableError("too_large", f"{path}: {TOO_MANY_DIGITS}", path)
    return _tag(walk, "$iso:decimal", text)


def _uuid(walk: Walk, value: UUID, at: Any, depth: int) -> Any:
    del at, depth
    return _tag(walk, "$iso:uuid", str(UUID(int=value.int)))


def _date(walk: Walk, value: date, at: Any, depth: int) -> Any:
    del at, depth
    return _tag(walk, "$iso:date", temporal.date_text(value))


def _time(walk: Walk, value: time, at: Any, depth: int) -> Any:
    del depth
    tagged = temporal.time_tag(value)
    return walk.opaque(value, at) if tagged is None else _tag(walk, *tagged)


def _datetime(walk: Walk, value: datetime, at: Any, depth: int) -> Any:
    del depth
    tagged = temporal.datetime_tag(value)
    return walk.opaque(value, at) if tagged is None else _tag(walk, *tagged)


def _precise_datetime(walk: Walk, value: Any, at: Any, depth: int) -> Any:
    """A datetime of a class that adds nanoseconds, such as pandas' Timestamp."""
    del depth
    nanosecond = value.nanosecond
    tagged = temporal.datetime_tag(value, nanosecond) if type(nanosecond) is int else None
    return walk.opaque(value, at) if tagged is None else _tag(walk, *tagged)


def _duration(walk: Walk, value: timedelta, at: Any, depth: int) -> Any:
    del at, depth
    return _tag(walk, "$iso:duration", temporal.duration_text(value))


def _tagged(walk: Walk, value: Tagged, at: Any, depth: int) -> Any:
    del at, depth
    walk.spend(len(value.tag))
    return {value.tag: plain_tree(value.payload)}


def _opaque(walk: Walk, value: Opaque, at: Any, depth: int) -> Any:
    del at, depth
    walk.spend(len(value.type) + len(value.path))
    return {"$iso:opaque": {"type": str_tree(value.type), "path": str_tree(value.path)}}


def _enum(walk: Walk, value: Enum, at: Any, depth: int) -> Any:
    return walk.tree(value._value_, at, depth)


# Containers


def _list(walk: Walk, value: Any, at: Any, depth: int) -> Any:
    if not walk.enter(value, depth):
        return walk.opaque(value, at)
    try:
        return walk.items(value, at, depth)
    finally:
        walk.leave(value)


def _sequence(walk: Walk, value: Any, at: Any, depth: int) -> Any:
    """A sequence whose iteration is not ours, and may change meanwhile."""
    if not walk.enter(value, depth):
        return walk.opaque(value, at)
    try:
        walk.expect(2 * len(value))
        return walk.items(tuple(islice(value, len(value))), at, depth)
    finally:
        walk.leave(value)


def _set(walk: Walk, value: Any, at: Any, depth: int) -> Any:
    if not walk.enter(value, depth):
        return walk.opaque(value, at)
    try:
        walk.spend(len(value))
        by_encoding = {}
        for item in tuple(islice(value, len(value))):
            tree = walk.tree(item, (at, "{}"), depth + 1)
            by_encoding[canonical_tree(tree)] = tree
        return {"$iso:set": [by_encoding[encoding] for encoding in sorted(by_encoding)]}
    finally:
        walk.leave(value)


def _map(walk: Walk, value: Any, at: Any, depth: int) -> Any:
    if not walk.enter(value, depth):
        return walk.opaque(value, at)
    try:
        walk.spend(3 * len(value))
        return _pairs(walk, tuple(islice(value.items(), len(value))), at, depth)
    finally:
        walk.leave(value)


def _pairs(walk: Walk, pairs: Sequence[tuple[Any, Any]], at: Any, depth: int) -> Any:
    keys = [
        _str(walk, key, at, depth) if type(key) is str else walk.tree(key, (at, "{}"), depth + 1)
        for key, _ in pairs
    ]
    texts = [_key_text(key, tree) for (key, _), tree in zip(pairs, keys, strict=True)]
    if None in texts:
        steps: Any = ["{}"] * len(pairs)
    else:
        steps = map(key_step, texts)  # type: ignore[arg-type]  # there is no None among them
    trees = [
        (key, walk.tree(item, (at, step), depth + 1))
        for key, (_, item), step in zip(keys, pairs, steps, strict=True)
    ]
    if len(trees) == 1 and type(keys[0]) is str and keys[0].startswith(TAG):
        return map_tree(trees)
    return object_tree(trees)


def _key_text(key: Any, tree: Any) -> str | None:
    """Give a key as a string for the path; None where it is none."""
    if type(tree) is str:
        return tree
    return key if isinstance(key, str) else None


def _fields(read: Callable[[Any], list[tuple[str, Any]]]) -> Writer:
    def write(walk: Walk, value: Any, at: Any, depth: int) -> Any:
        if not walk.enter(value, depth):
            return walk.opaque(value, at)
        try:
            return _pairs(walk, read(value), at, depth)
        finally:
            walk.leave(value)

    return write


# Which writer a class has

_SURE: Final[dict[type, Writer]] = {
    type(None): _as_is,
    bool: _as_is,
    int: _int,
    float: _float,
    str: _str,
    list: _list,
    tuple: _list,
    bytes: _bytes,
}
"""Of these very classes; none of their writers calls code that is not ours."""

_BY_BASE: Final[tuple[tuple[type, Writer], ...]] = (
    (dict, _map),
    (ToolResponse, write_response),
    (Tagged, _tagged),
    (Opaque, _opaque),
    (int, _int),
    (float, _float),
    (str, _str),
    (bytes, _bytes),
    (bytearray, _bytes),
    (memoryview, _bytes),
    (Decimal, _decimal),
    (UUID, _uuid),
    (datetime, _datetime),
    (date, _date),
    (time, _time),
    (timedelta, _duration),
    (Mapping, _map),
    (Set, _set),
    (list, _list),
    (tuple, _list),
    (deque, _sequence),
    (array, _sequence),
    (Sequence, _sequence),
)

_OURS: Final = frozenset((Tagged, Opaque, ToolSuccess, ToolFailure))
"""Values of ours that have fields and are not objects all the same."""

_converters: dict[type, Callable[[Any], Any]] = {}


def register_converter(cls: type, convert: Callable[[Any], Any]) -> None:
    """Give the instances of a class, and of its subclasses, a portable form (clause 5.24).

    `convert` gives a value that has one; where it raises, the instance is Opaque. It may be called
    from several threads. The converter of the nearest base wins, and it goes before every other
    rule, so that it can also change the form of a dataclass.
    """
    _converters[cls] = convert
    writer_of.cache_clear()


@lru_cache(maxsize=1024)
def writer_of(cls: Any) -> Writer | None:
    """Give the writer of a class; None where its instances have no portable form."""
    convert = next((_converters[base] for base in cls.__mro__ if base in _converters), None)
    if convert is not None:
        return _converting(convert)
    if issubclass(cls, BaseException):
        return None
    if issubclass(cls, Enum):
        return _enum
    of_number = number_writer(cls)
    if of_number is not None:
        return of_number
    if cls not in _OURS:
        read = fields_of(cls)
        if read is not None:
            return _fields(read)
    if issubclass(cls, datetime) and hasattr(cls, "nanosecond"):
        return _precise_datetime
    return next((writer for base, writer in _BY_BASE if issubclass(cls, base)), None)


def _write(walk: Walk, value: Any, at: Any, depth: int) -> Any:
    writer = writer_of(type(value))  # type: ignore[arg-type]  # classes are hashable
    return walk.opaque(value, at) if writer is None else writer(walk, value, at, depth)


def _converting(convert: Callable[[Any], Any]) -> Writer:
    def write(walk: Walk, value: Any, at: Any, depth: int) -> Any:
        if not walk.enter(value, 0):  # what it becomes may be no container
            return walk.opaque(value, at)
        try:
            return walk.tree(convert(value), at, depth)
        finally:
            walk.leave(value)

    return write
