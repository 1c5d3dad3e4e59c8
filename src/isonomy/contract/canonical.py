# SPDX-License-Identifier: Apache-2.0
"""The canonical encoding and its digest (clause 6)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from struct import Struct
from types import MappingProxyType
from typing import Any

_bits = Struct(">d").pack


def canonical(value: Any) -> bytes:
    """Give the canonical encoding of a value (clause 6.1); raises `PortableError` as `encode` does.

    >>> canonical([1, "é"]).decode()
    '[i1;s2:é]'
    """
    from isonomy.contract.portable import to_tree

    return canonical_tree(to_tree(value))


def digest(value: Any) -> str:
    """Give the SHA-256 of the canonical encoding in lower-case hexadecimal (clause 6.2)."""
    return hashlib.sha256(canonical(value)).hexdigest()


def plain_digest(members: dict[str, Any]) -> str:
    """Do what `digest` does for a map of plain JSON values, such as parsed arguments: faster."""
    for value in members.values():
        kind = type(value)
        if kind is dict or kind is list:
            return digest(members)
    if len(members) == 1 and next(iter(members)).startswith("$iso:"):
        return digest(members)
    try:
        return hashlib.sha256(canonical_tree(members)).hexdigest()
    except UnicodeEncodeError:  # a lone surrogate
        return digest(members)


def canonical_tree(tree: Any, known: Mapping[int, bytes] = MappingProxyType({})) -> bytes:
    """Give the canonical encoding of a JSON tree without lone surrogates.

    `known` has the encodings of objects in it, by their numbers.
    """
    parts: list[bytes] = []
    _write(tree, parts.append, known)
    return b"".join(parts)


def set_encoding(encodings: Iterable[bytes]) -> bytes:
    """Give the canonical encoding of a set whose elements have these, in their order."""
    return b"{s8:$iso:set[%b]}" % b"".join(encodings)


def _write(tree: Any, put: Any, known: Mapping[int, bytes]) -> None:
    kind = type(tree)
    if kind is str:
        data = tree.encode()
        put(b"s%d:%b" % (len(data), data))
    elif kind is dict:
        if known and id(tree) in known:
            put(known[id(tree)])
            return
        put(b"{")
        for key in sorted(tree):
            data = key.encode()
            put(b"s%d:%b" % (len(data), data))
            _write(tree[key], put, known)
        put(b"}")
    elif kind is list:
        put(b"[")
        for item in tree:
            _write(item, put, known)
        put(b"]")
    elif kind is int:
        put(b"i%d;" % tree)
    elif kind is float:
        put(b"d" + _bits(tree).hex().encode())
    else:
        put(b"n" if tree is None else b"t" if tree else b"f")
