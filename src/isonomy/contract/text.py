# SPDX-License-Identifier: Apache-2.0
"""Lone surrogates, which Python strings can hold and UTF-8 cannot (clauses 5.10 and 5.19)."""

from __future__ import annotations

import re
from typing import Any, Final

from isonomy.contract.canonical import canonical_tree

STR: Final = "$iso:str"
MAP: Final = "$iso:map"

_surrogate = re.compile("[\ud800-\udfff]")
_pieces = re.compile("[\ud800-\udfff]|[^\ud800-\udfff]+")


def has_surrogate(text: str) -> bool:
    """Tell whether a string has a lone surrogate."""
    return not text.isascii() and _surrogate.search(text) is not None


def without_surrogates(text: str) -> str:
    """Give a string with U+FFFD for each lone surrogate."""
    return text if text.isascii() else _surrogate.sub("\ufffd", text)


def str_tree(text: str) -> Any:
    """Give the tree of a string: itself, or a tag where it has lone surrogates."""
    if not has_surrogate(text):
        return text
    found = (match[0] for match in _pieces.finditer(text))
    return {STR: [ord(piece) if _surrogate.match(piece) else piece for piece in found]}


def read_str(payload: Any) -> str | None:
    """Join the pieces of a string tag; None where they are not as clause 5.10 says."""
    if type(payload) is not list:
        return None
    pieces: list[str] = []
    last: type | None = None
    for piece in payload:
        kind = type(piece)
        if kind is int and 0xD800 <= piece <= 0xDFFF:
            pieces.append(chr(piece))
        elif kind is str and piece and last is not str and not has_surrogate(piece):
            pieces.append(piece)
        else:
            return None
        last = kind
    return "".join(pieces) if int in map(type, payload) else None


def plain_tree(tree: Any) -> Any:
    """Give a JSON tree as it can be written: with a tag wherever there is a lone surrogate.

    Raises `TypeError` where it is no JSON tree.
    """
    kind = type(tree)
    if kind is str:
        return str_tree(tree)
    if kind is list:
        return list(map(plain_tree, tree))
    if kind is dict:
        pairs = [(str_tree(key), plain_tree(item)) for key, item in tree.items()]
        return object_tree(pairs)
    if tree is None or kind is bool or kind is int or (kind is float and not tree - tree):
        return tree
    raise TypeError(f"a {kind.__name__} in a JSON tree")


def object_tree(pairs: list[tuple[Any, Any]]) -> dict[str, Any]:
    """Give the tree of a map: an object, or a tag where a key is more than a plain string.

    Raises `ValueError` where keys that differ have one encoding.
    """
    if all(type(key) is str for key, _ in pairs):
        made = dict(pairs)
        if len(made) == len(pairs):
            return made
        raise ValueError("two keys of a map have one encoding")
    return map_tree(pairs)


def map_tree(pairs: list[tuple[Any, Any]]) -> dict[str, Any]:
    """Give the tag of a map, its pairs in canonical order (clause 5.19)."""
    by_key = {canonical_tree(key): [key, item] for key, item in pairs}
    if len(by_key) != len(pairs):
        raise ValueError("two keys of a map have one encoding")
    return {MAP: [by_key[encoding] for encoding in sorted(by_key)]}
