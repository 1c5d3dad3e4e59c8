# SPDX-License-Identifier: Apache-2.0
"""From a JSON tree to values: tags are read, what Python cannot hold stays as it is (clause 5)."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

from isonomy.contract import temporal
from isonomy.contract.decimals import has_too_many_digits, read_decimal
from isonomy.contract.forms import is_map, is_opaque, is_set, read_bytes, read_uuid
from isonomy.contract.jsontext import Data, may_hold_tags, may_nest_deeper, nests_deeper
from isonomy.contract.paths import key_step
from isonomy.contract.tagged import MAX_DEPTH, TAG, TOO_MANY_DIGITS, Opaque, PortableError, Tagged
from isonomy.contract.text import MAP, STR, read_str

_CONTAINERS: Final = frozenset((dict, list))
_NO_ELEMENTS: Final = frozenset((dict, Tagged, Opaque))
"""What cannot be, or is not, read as an element of a set or a key (clauses 5.3 and 5.18)."""
_FLOATS: Final = {
    "NaN": float("nan"),
    "Infinity": float("inf"),
    "-Infinity": float("-inf"),
}


def from_tree(tree: Any) -> Any:
    """Give the value of a JSON tree.

    Raises `PortableError` of kind `too_large` for a decimal of too many digits, and of kind
    `malformed` for more than 128 containers inside each other (clauses 5.8 and 5.28).
    """
    try:
        return _native(tree, 1)
    except _TooManyDigitsError as error:
        path = "$" + "".join(reversed(error.steps))
        raise PortableError("too_large", f"{path}: {TOO_MANY_DIGITS}", path) from None
    except RecursionError:
        message = "malformed JSON: it is nested deeper than the stack of this thread allows"
        raise PortableError("malformed", message) from None


def value_of(tree: Any, data: Data) -> Any:
    """Give the value of a tree that was read from this text; raises as `from_tree` does."""
    if type(tree) not in _CONTAINERS:
        return tree  # without a look at the text, which may be long
    if may_hold_tags(data):
        return from_tree(tree)
    if may_nest_deeper(data, MAX_DEPTH) and nests_deeper(tree, MAX_DEPTH):
        return from_tree(tree)  # which says what is wrong
    return tree


class _TooManyDigitsError(Exception):
    """A coefficient that is too long; the steps of its path are gathered on the way up."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[str] = []


class _UnhashableError(Exception):
    """An object where an element of a set or a key is needed."""


def _native(tree: Any, depth: int) -> Any:
    kind = type(tree)
    if kind is dict:
        tag = _tag_of(tree)
        return _read(tag, tree[tag], depth) if tag else _object(tree, depth)
    return _items(tree, _native, depth) if kind is list else tree


def _hashable(tree: Any, depth: int) -> Any:
    """Give the value of a tree as an element of a set or a key: tuples and frozensets."""
    kind = type(tree)
    if kind is dict:
        tag = _tag_of(tree)
        made = _read(tag, tree[tag], depth) if tag else {}
        if type(made) in _NO_ELEMENTS:
            raise _UnhashableError
        return frozenset(made) if type(made) is set else made
    return tuple(_items(tree, _hashable, depth)) if kind is list else tree


def _tag_of(tree: dict[str, Any]) -> str | None:
    if len(tree) == 1:
        (key,) = tree
        if key.startswith(TAG):
            return key
    return None


def _check(depth: int) -> None:
    if depth > MAX_DEPTH:
        message = f"malformed JSON: more than {MAX_DEPTH} containers are inside each other"
        raise PortableError("malformed", message)


def _object(tree: dict[str, Any], depth: int) -> dict[str, Any]:
    _check(depth)
    made = {}
    for key, item in tree.items():
        if type(item) in _CONTAINERS:
            try:
                made[key] = _native(item, depth + 1)
            except _TooManyDigitsError as error:
                error.steps.append(key_step(key))
                raise
        else:
            made[key] = item
    return made


def _items(tree: list[Any], of: Callable[[Any, int], Any], depth: int) -> list[Any]:
    _check(depth)
    items: list[Any] = []
    for item in tree:
        if type(item) in _CONTAINERS:
            try:
                items.append(of(item, depth + 1))
            except _TooManyDigitsError as error:
                error.steps.append(f"[{len(items)}]")
                raise
        else:
            items.append(item)
    return items


def _read(tag: str, payload: Any, depth: int) -> Any:
    """Read a tag, or keep it where it is unknown or not written exactly as clause 5 says."""
    made = None
    if type(payload) is str:
        if tag in _OF_TEXT:
            made = _OF_TEXT[tag](payload)
    elif tag in _OF_OTHER:
        made = _OF_OTHER[tag](payload, depth)
    return Tagged(tag, payload) if made is None else made


def _read_decimal(text: str) -> Decimal | None:
    made = read_decimal(text)
    if made is not None and has_too_many_digits(made, text):
        raise _TooManyDigitsError
    return made


def _read_set(payload: Any, depth: int) -> set[Any] | None:
    if not is_set(payload):
        return None
    _check(depth)
    made = set()
    try:
        for item in payload:
            made.add(_hashable(item, depth + 1))
    except _UnhashableError:
        return None
    except _TooManyDigitsError as error:
        error.steps.append("{}")
        raise
    return made if len(made) == len(payload) else None


def _read_map(payload: Any, depth: int) -> dict[Any, Any] | None:
    if not is_map(payload):
        return None
    _check(depth)
    made = {}
    try:
        for key, item in payload:
            made[_hashable(key, depth + 1)] = _native(item, depth + 1)
    except _UnhashableError:
        return None
    except _TooManyDigitsError as error:
        error.steps.append("{}")
        raise
    return made if len(made) == len(payload) else None


def _read_opaque(payload: Any, depth: int) -> Opaque | None:
    del depth
    return Opaque(payload["type"], payload["path"]) if is_opaque(payload) else None


def _read_str(payload: Any, depth: int) -> str | None:
    del depth
    return read_str(payload)


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
_OF_OTHER: Final[dict[str, Callable[[Any, int], Any]]] = {
    MAP: _read_map,
    "$iso:opaque": _read_opaque,
    "$iso:set": _read_set,
    STR: _read_str,
}
