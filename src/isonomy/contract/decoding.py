# SPDX-License-Identifier: Apache-2.0
"""From a JSON tree to values: tags are read, what Python cannot hold stays as it is (clause 5)."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

from isonomy.contract import temporal
from isonomy.contract.decimals import has_too_many_digits, read_decimal
from isonomy.contract.forms import is_map, is_opaque, is_set, read_bytes, read_uuid
from isonomy.contract.paths import key_step
from isonomy.contract.tagged import TAG, TOO_MANY_DIGITS, Opaque, PortableError, Tagged
from isonomy.contract.text import MAP, STR, read_str

_CONTAINERS: Final = frozenset((dict, list))
_FLOATS: Final = {
    "NaN": float("nan"),
    "Infinity": float("inf"),
    "-Infinity": float("-inf"),
}


def from_tree(tree: Any) -> Any:
    """Give the value of a JSON tree; raises `PortableError` for a decimal of too many digits."""
    try:
        return _native(tree)
    except _TooManyDigitsError as error:
        path = "$" + "".join(reversed(error.steps))
        raise PortableError("too_large", f"{path}: {TOO_MANY_DIGITS}", path) from None
    except RecursionError:
        message = "malformed JSON: it is nested deeper than the stack of this thread allows"
        raise PortableError("malformed", message) from None


class _TooManyDigitsError(Exception):
    """A coefficient that is too long; the steps of its path are gathered on the way up."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[str] = []


class _UnhashableError(Exception):
    """An object where an element of a set or a key is needed."""


def _native(tree: Any) -> Any:
    kind = type(tree)
    if kind is dict:
        tag = _tag_of(tree)
        return _read(tag, tree[tag]) if tag else _object(tree)
    return _items(tree, _native) if kind is list else tree


def _hashable(tree: Any) -> Any:
    """Give the value of a tree as an element of a set or a key: tuples and frozensets."""
    kind = type(tree)
    if kind is dict:
        tag = _tag_of(tree)
        made = _read(tag, tree[tag]) if tag else {}
        if type(made) is dict:
            raise _UnhashableError
        return frozenset(made) if type(made) is set else made
    return tuple(_items(tree, _hashable)) if kind is list else tree


def _tag_of(tree: dict[str, Any]) -> str | None:
    if len(tree) == 1:
        (key,) = tree
        if key.startswith(TAG):
            return key
    return None


def _object(tree: dict[str, Any]) -> dict[str, Any]:
    made = {}
    for key, item in tree.items():
        if type(item) in _CONTAINERS:
            try:
                made[key] = _native(item)
            except _TooManyDigitsError as error:
                error.steps.append(key_step(key))
                raise
        else:
            made[key] = item
    return made


def _items(tree: list[Any], of: Callable[[Any], Any]) -> list[Any]:
    items: list[Any] = []
    for item in tree:
        if type(item) in _CONTAINERS:
            try:
                items.append(of(item))
            except _TooManyDigitsError as error:
                error.steps.append(f"[{len(items)}]")
                raise
        else:
            items.append(item)
    return items


def _read(tag: str, payload: Any) -> Any:
    """Read a tag, or keep it where it is unknown or not written exactly as clause 5 says."""
    made = None
    if type(payload) is str:
        if tag in _OF_TEXT:
            made = _OF_TEXT[tag](payload)
    elif tag in _OF_OTHER:
        made = _OF_OTHER[tag](payload)
    return Tagged(tag, payload) if made is None else made


def _read_decimal(text: str) -> Decimal | None:
    made = read_decimal(text)
    if made is not None and has_too_many_digits(made, text):
        raise _TooManyDigitsError
    return made


def _read_set(payload: Any) -> set[Any] | None:
    if not is_set(payload):
        return None
    made = set()
    try:
        for item in payload:
            made.add(_hashable(item))
    except _UnhashableError:
        return None
    except _TooManyDigitsError as error:
        error.steps.append("{}")
        raise
    return made if len(made) == len(payload) else None


def _read_map(payload: Any) -> dict[Any, Any] | None:
    if not is_map(payload):
        return None
    made = {}
    try:
        for key, item in payload:
            made[_hashable(key)] = _native(item)
    except _UnhashableError:
        return None
    except _TooManyDigitsError as error:
        error.steps.append("{}")
        raise
    return made if len(made) == len(payload) else None


def _read_opaque(payload: Any) -> Opaque | None:
    return Opaque(payload["type"], payload["path"]) if is_opaque(payload) else None


_OF_TEXT: Final[dict[str, Callable[[str], Any]]] = {
    "$iso:bytes": read_bytes,
    "$iso:date": temporal.read_date,
    "$iso:datetime": temporal.read_datetime,
    "$iso:decimal": _read_decimal,
    "$iso:duration": temporal.read_duration,
    "$iso:float": _FLOATS.get,
    "$iso:offsetdatetime": temporal.read_offset_datetime,
    "$iso:offsettime": temporal.read_offset_time,
    "$iso:time": temporal.read_time,
    "$iso:uuid": read_uuid,
    "$iso:zoneddatetime": temporal.read_zoned_datetime,
}
_OF_OTHER: Final[dict[str, Callable[[Any], Any]]] = {
    MAP: _read_map,
    "$iso:opaque": _read_opaque,
    "$iso:set": _read_set,
    STR: read_str,
}
