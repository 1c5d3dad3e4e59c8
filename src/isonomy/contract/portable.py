# SPDX-License-Identifier: Apache-2.0
"""Portable values: one JSON form for every value that leaves its process or is stored (clause 5).

`encode` and `decode` are the two ends. Plain JSON takes a short way through them: a cheap look at
the types of a value, or at what orjson read, decides whether orjson's answer is exact; everything
else takes the walk of `encoding` and the strict reading of `jsontext`.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

import orjson

from isonomy.contract.decoding import from_tree, value_of
from isonomy.contract.encoding import Walk, register_converter, too_large
from isonomy.contract.jsontext import Data, parse, write
from isonomy.contract.tagged import MAX_DEPTH, Opaque, PortableError, Tagged

__all__ = [
    "Opaque",
    "PortableError",
    "Tagged",
    "check",
    "decode",
    "encode",
    "encode_plain",
    "from_tree",
    "parse",
    "register_converter",
    "to_tree",
]

MAX_RESULT_BYTES: Final = 16 * 1024 * 1024
"""Default bound of a result's encoding (clause 5.29)."""

_ROOM: Final = 1 << 26
"""Values that the short way takes at most; what may be more goes the long way."""
_PASS: Final = (
    orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
    | orjson.OPT_PASSTHROUGH_SUBCLASS
)
_TAG: Final = b'"$iso:'
_DOLLAR: Final = ord("$")
_SCALAR: Final = 32
"""Bytes that None, a boolean and a float never exceed."""
_LONG: Final = 32
"""Items from which on a list is first looked at as a row of scalars."""
_SCALARS: Final = frozenset((str, int, bool, type(None)))
_FLOATS: Final = frozenset((float,))

_dumps = orjson.dumps
_loads = orjson.loads


def encode(value: Any, *, strict: bool = False, max_bytes: int | None = None) -> bytes:
    """Write a value as portable JSON: UTF-8 without white space (clause 5).

    What has no portable form becomes Opaque in place; with `strict` it raises `PortableError` of
    kind `result_conversion` (clause 5.26). Kind `too_large` is raised for more than `max_bytes`
    bytes, as early as that is certain, and for an integer of more than 4,300 digits. May be called
    from several threads.

    >>> encode({"price": 1.5, "raw": b"hi"})
    b'{"price":1.5,"raw":{"$iso:bytes":"aGk="}}'
    """
    data = encode_plain(value, _ROOM if max_bytes is None or max_bytes > _ROOM else max_bytes)
    if data is None:
        data = write(to_tree(value, strict=strict, max_bytes=max_bytes))
    if max_bytes is not None and len(data) > max_bytes:
        raise too_large(max_bytes)
    return data


def encode_plain(value: Any, room: int = _ROOM) -> bytes | None:
    """Write a value that is plain JSON; give None for another, and for one that is hard to tell.

    Plain are None, booleans, integers of 64 bits, finite floats, strings without lone surrogates,
    and lists, tuples and string-keyed maps of them, all of those very types, with nothing in them
    that looks like a tag. `room` bounds how many values are looked at.
    """
    # An object's own values at once: the look goes two levels at a time.
    if type(value) is dict:
        least = room // (len(value) + 1)
        if not least or not _is_plain(value.values(), least):
            return None
    elif not _is_plain((value,), room):
        return None
    try:
        data = _dumps(value, None, _PASS)
    except TypeError:  # a key that is no string, an integer beyond 64 bits, a lone surrogate
        return None
    return None if _DOLLAR in data and _TAG in data else data


def decode(data: Data) -> Any:
    """Read portable JSON, strictly (clause 5.28); a tag becomes the value it stands for.

    Raises `PortableError` of kind `malformed`, or `too_large` for an integer of more than 4,300
    digits. What Python cannot hold exactly is a `Tagged`. May be called from several threads.

    >>> decode('{"price":1.5,"raw":{"$iso:bytes":"aGk="}}')
    {'price': 1.5, 'raw': b'hi'}
    """
    if type(data) is bytes:
        # orjson takes the last of duplicate keys and rounds integers beyond 64 bits; where writing
        # what it read gives the very bytes again, it did neither.
        try:
            tree = _loads(data)
            if (
                _dumps(tree) == data
                and (_DOLLAR not in data or _TAG not in data)
                and (
                    len(data) <= 2 * MAX_DEPTH
                    or len(data.replace(b"[", b"").replace(b"{", b"")) >= len(data) - MAX_DEPTH
                    or not _is_deep(tree)
                )
            ):
                return tree
        except (ValueError, TypeError):
            pass  # what orjson refuses may still be read: 4,300 digits, lone surrogates
    return value_of(parse(data), data)


def _is_deep(tree: Any) -> bool:
    """Tell whether a tree has more than 128 levels: orjson stops at 254, so 126 go around it."""
    for _ in range(254 - MAX_DEPTH):
        tree = [tree]
    try:
        _dumps(tree)
    except TypeError:
        return True
    return False


def to_tree(value: Any, *, strict: bool = False, max_bytes: int | None = None) -> Any:
    """Give the portable form of a value as a JSON tree; raises as `encode` does."""
    return Walk(strict=strict, max_bytes=max_bytes).root(value)


def check(value: Any, *, strict: bool = False, max_bytes: int | None = None) -> None:
    """Raise what `encode` would raise for a value (clause 5.29)."""
    kind = type(value)
    room = _ROOM if max_bytes is None else max_bytes
    if kind is str and 9 * len(value) + _SCALAR <= room:  # at most, beside lone surrogates
        return
    if (value is None or kind is bool or kind is float) and room >= _SCALAR:
        return
    encode(value, strict=strict, max_bytes=max_bytes)


def _is_plain(values: Collection[Any], room: int) -> bool:  # noqa: PLR0912 - one loop, twice
    """Tell whether all values are plain JSON, as orjson writes it.

    Plain are None, booleans, integers, finite floats, strings, and lists, tuples and dicts of them,
    of those very types: orjson would write an enum, a UUID and NaN without a word. Keys and the
    size of integers are left to orjson, which refuses them.

    `room` is how many values there may be below; a container shares it out among its items. So
    lists inside themselves, lists shared without end and nesting beyond 128 are found not plain.
    """
    # Two levels at a time: a call for every container would take as long as all of its items.
    for item in values:
        kind = type(item)
        if kind is str or kind is int or item is None or kind is bool:
            continue
        if kind is float:
            if item - item:  # NaN or infinite
                return False
            continue
        if kind is dict:
            items = item.values()
        elif kind is list or kind is tuple:
            items = item
        else:
            return False
        below = room // (len(items) + 1)
        if not below:
            return False
        if kind is not dict and len(items) >= _LONG and _is_plain_row(items):
            continue
        for inner in items:
            kind = type(inner)
            if kind is str or kind is int or inner is None or kind is bool:
                continue
            if kind is float:
                if inner - inner:
                    return False
            elif kind is dict:
                least = below // (len(inner) + 1)
                if not least or not _is_plain(inner.values(), least):
                    return False
            elif kind is list or kind is tuple:
                least = below // (len(inner) + 1)
                if not least:
                    return False
                row = len(inner) >= _LONG and _is_plain_row(inner)
                if not row and not _is_plain(inner, least):
                    return False
            else:
                return False
    return True


def _is_plain_row(items: Collection[Any]) -> bool:
    """Tell, without a step in Python for each, whether all items are scalars that are plain."""
    kinds = set(map(type, items))
    if kinds <= _SCALARS:
        return True
    if kinds == _FLOATS:
        total = sum(items)  # not finite where one of them is not
        return not total - total
    return False
