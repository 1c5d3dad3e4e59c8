# SPDX-License-Identifier: Apache-2.0
"""From values to a JSON tree: the exact walk (clauses 5.7 to 5.27).

`portable.encode` takes it wherever a value is more than plain JSON.
"""

from __future__ import annotations

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

from isonomy.contract.containers import (
    write_list,
    write_map,
    write_sequence,
    write_set,
    writer_of_fields,
)
from isonomy.contract.foreign import FAILED, attempt, type_name
from isonomy.contract.numeric import number_writer
from isonomy.contract.paths import Path, path_text
from isonomy.contract.response import ToolFailure, ToolResponse, ToolSuccess
from isonomy.contract.responses import write_response
from isonomy.contract.scalars import (
    write_bytes,
    write_date,
    write_datetime,
    write_decimal,
    write_duration,
    write_enum,
    write_float,
    write_int,
    write_itself,
    write_opaque,
    write_precise_datetime,
    write_str,
    write_tagged,
    write_time,
    write_uuid,
)
from isonomy.contract.shapes import fields_of
from isonomy.contract.tagged import MAX_DEPTH, TOO_MANY_DIGITS, Opaque, PortableError, Tagged
from isonomy.contract.text import str_tree

Writer = Callable[["Walk", Any, Any, int], Any]
"""Gives the tree of a value; called with the walk, the value, its path and its depth."""

Made = tuple[int, int, Any]
"""A container: its number, the depth at which it is, and its writer."""

_UNLIMITED: Final = 1 << 31
"""Bytes that no encoding takes more than (clause 5.29)."""
_MANY: Final = 1_000
"""Containers from which on a walk remembers what it made of each: one may be held very often."""


class Walk:
    """One walk over one value; `room` is how many bytes may still come at least.

    `of_failure` is for what a failure holds: a number of too many digits is Opaque there, since a
    failure is never replaced by a complaint about encoding it (clause 4.15).
    """

    __slots__ = (
        "_active",
        "_kept",
        "_limit",
        "_made",
        "_of_failure",
        "_opaque",
        "_refused",
        "_room",
        "_strict",
        "_walked",
        "encodings",
        "sets",
    )

    def __init__(
        self, *, strict: bool = False, max_bytes: int | None = None, of_failure: bool = False
    ) -> None:
        self._of_failure = of_failure
        self._active: set[int] = set()
        self._kept: list[Any] = []
        self._limit = max_bytes
        self._made: dict[Made, tuple[Any, Any, int]] = {}
        self._opaque = 0
        self._refused: PortableError | None = None
        self._room = _UNLIMITED if max_bytes is None else min(max_bytes, _UNLIMITED)
        self._strict = strict
        self._walked = 0
        self.encodings: dict[int, bytes] = {}
        self.sets = 0  # that are being written, one inside the other

    def tree(self, value: Any, at: Path = None, depth: int = 1) -> Any:
        """Give the tree of a value; `depth` is the one it has if it is a container."""
        try:
            writer = _SURE.get(type(value))
        except TypeError:  # a class that is not hashable
            writer = None
        if writer is not None:
            return writer(self, value, at, depth)
        # Written out, not called: each call more on the way down leaves less room for deep values.
        try:
            made = attempt(_write, self, value, at, depth)
        except PortableError as refused:
            if refused is self._refused:
                raise
            made = FAILED  # the value's own code raised it
        return self.opaque(value, at) if made is FAILED else made

    def root(self, value: Any) -> Any:
        """Give the tree of a whole value."""
        made = attempt(self.tree, value)
        return self.opaque(value, None) if made is FAILED else made

    def _refusal(self, refused: PortableError) -> PortableError:
        self._refused = refused
        return refused

    def opaque(self, value: Any, at: Path) -> Any:
        """Give the marker of a value without a portable form; raises when strict."""
        name = type_name(type(value))
        path = path_text(at)
        if self._strict:
            message = f"{path}: a value of type {name} has no portable form"
            raise self._refusal(PortableError("result_conversion", message, path))
        self._opaque += 1
        self.spend(len(name) + len(path))
        return {"$iso:opaque": {"type": name, "path": str_tree(path)}}

    def too_many_digits(self, value: Any, at: Path) -> Any:
        """Give the marker of a number that clause 5.8 refuses in a failure; else refuse it."""
        if self._of_failure:
            return self.opaque(value, at)
        path = path_text(at)
        raise self._refusal(PortableError("too_large", f"{path}: {TOO_MANY_DIGITS}", path))

    def known(self, key: Made) -> Any:
        """Give the tree that a container has had at this depth; None where that is not known.

        What a value holds twice, and that twice again, then costs no more than its parts.
        """
        self._walked += 1
        known = self._made.get(key) if self._walked > _MANY else None
        if known is None:
            return None
        self.spend(known[2])
        return known[1]

    def state(self) -> tuple[int, int]:
        """Give what `keep` compares: how many markers there are, and how much room."""
        return self._opaque, self._room

    def keep(self, key: Made, value: Any, tree: Any, before: tuple[int, int]) -> None:
        """Remember the tree of a container, unless markers are in it: they name their place."""
        if self._walked > _MANY and before[0] == self._opaque:
            # The value is kept, so that no other gets its number.
            self._made[key] = (value, tree, before[1] - self._room)

    def remember(self, tree: Any, encoding: bytes) -> None:
        """Keep the canonical encoding of a set, for the sets around it (`encodings`)."""
        self._kept.append(tree)  # so that no other gets its number
        self.encodings[id(tree)] = encoding

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
            raise self._refusal(too_large(self._limit))

    def spend(self, size: int) -> None:
        """Count bytes that the encoding has at least; raises once there are too many."""
        self._room -= size
        if self._room < 0:
            raise self._refusal(too_large(self._limit))

    def items(self, values: Any, at: Path, depth: int) -> list[Any]:
        """Give the trees of the items of a sequence, which may grow meanwhile (clause 5.26)."""
        size = len(values)
        self.spend(2 * size)
        tree = self.tree
        taken = enumerate(islice(values, size))
        return [tree(item, (at, index), depth + 1) for index, item in taken]


def too_large(max_bytes: int | None) -> PortableError:
    """Give the refusal of a value whose encoding is too long (clause 5.29)."""
    if max_bytes is None:
        return PortableError("too_large", "the value takes more than 2 GiB")
    return PortableError("too_large", f"the result takes more than {max_bytes} bytes")


_SURE: Final[dict[type, Writer]] = {
    type(None): write_itself,
    bool: write_itself,
    int: write_int,
    float: write_float,
    str: write_str,
    list: write_list,
    tuple: write_list,
    bytes: write_bytes,
}
"""Of these very classes; none of their writers calls code that is not ours."""

_BY_BASE: Final[tuple[tuple[type, Writer], ...]] = (
    (dict, write_map),
    (ToolResponse, write_response),
    (Tagged, write_tagged),
    (Opaque, write_opaque),
    (int, write_int),
    (float, write_float),
    (str, write_str),
    (bytes, write_bytes),
    (bytearray, write_bytes),
    (memoryview, write_bytes),
    (Decimal, write_decimal),
    (UUID, write_uuid),
    (datetime, write_datetime),
    (date, write_date),
    (time, write_time),
    (timedelta, write_duration),
    (Mapping, write_map),
    (Set, write_set),
    (deque, write_sequence),
    (array, write_sequence),
    (Sequence, write_sequence),
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
        return write_enum
    of_number = number_writer(cls)
    if of_number is not None:
        return of_number
    if cls not in _OURS:
        read = fields_of(cls)
        if read is not None:
            return writer_of_fields(read)
    if issubclass(cls, datetime) and hasattr(cls, "nanosecond"):
        return write_precise_datetime
    return next((writer for base, writer in _BY_BASE if issubclass(cls, base)), None)


def _write(walk: Walk, value: Any, at: Path, depth: int) -> Any:
    writer = writer_of(type(value))  # type: ignore[arg-type]  # classes are hashable
    return walk.opaque(value, at) if writer is None else writer(walk, value, at, depth)


def _converting(convert: Callable[[Any], Any]) -> Writer:
    def write(walk: Walk, value: Any, at: Path, depth: int) -> Any:
        if not walk.enter(value, 0):  # at no depth: what it becomes may be no container
            return walk.opaque(value, at)
        try:
            return walk.tree(convert(value), at, depth)
        finally:
            walk.leave(value)

    return write
