# SPDX-License-Identifier: Apache-2.0
"""How values that hold others are written (clauses 5.18, 5.19, 5.22, 5.24, 5.26)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from isonomy.contract.canonical import canonical_tree, set_encoding
from isonomy.contract.paths import Path, key_step
from isonomy.contract.tagged import TAG
from isonomy.contract.text import map_tree, object_tree

if TYPE_CHECKING:
    from isonomy.contract.encoding import Walk, Writer

_EMPTY_SET: Final = len('{"$iso:set":[]}') - 1


def contained(write: Writer) -> Writer:
    """Keep a writer of containers from cycles and from going too deep (clause 5.26)."""

    @wraps(write)
    def run(walk: Walk, value: Any, at: Path, depth: int) -> Any:
        key = (id(value), depth, write)
        tree = walk.known(key)
        if tree is not None:
            return tree
        if not walk.enter(value, depth):
            return walk.opaque(value, at)
        before = walk.state()
        try:
            tree = write(walk, value, at, depth)
        finally:
            walk.leave(value)
        walk.keep(key, value, tree, before)
        return tree

    return run


@contained
def write_list(walk: Walk, value: Any, at: Path, depth: int) -> Any:
    """Write a list or a tuple."""
    return walk.items(value, at, depth)


@contained
def write_sequence(walk: Walk, value: Any, at: Path, depth: int) -> Any:
    """Write a sequence whose iteration is not ours, and which may change meanwhile."""
    walk.expect(2 * len(value))
    return walk.items(tuple(islice(value, len(value))), at, depth)


@contained
def write_set(walk: Walk, value: Any, at: Path, depth: int) -> Any:
    """Write a set in canonical order; elements with one encoding are one (clause 5.18)."""
    walk.spend(_EMPTY_SET + len(value))
    by_encoding = {}
    walk.sets += 1
    try:
        for item in tuple(islice(value, len(value))):
            tree = walk.tree(item, (at, "{}"), depth + 1)
            by_encoding[canonical_tree(tree, walk.encodings)] = tree
    finally:
        walk.sets -= 1
    encodings = sorted(by_encoding)
    tree = {"$iso:set": [by_encoding[encoding] for encoding in encodings]}
    if walk.sets:  # which ask for its encoding, perhaps more than once
        walk.remember(tree, set_encoding(encodings))
    return tree


@contained
def write_map(walk: Walk, value: Any, at: Path, depth: int) -> Any:
    """Write a map."""
    walk.spend(3 * len(value))
    return _write_pairs(walk, tuple(islice(value.items(), len(value))), at, depth)


def writer_of_fields(read: Callable[[Any], list[tuple[str, Any]]]) -> Writer:
    """Give the writer of instances whose fields are read so (clause 5.24)."""

    @contained
    def write(walk: Walk, value: Any, at: Path, depth: int) -> Any:
        return _write_pairs(walk, read(value), at, depth)

    return write


def _write_pairs(walk: Walk, pairs: Sequence[tuple[Any, Any]], at: Path, depth: int) -> Any:
    """Write the pairs of a map: an object, or a tag where its keys ask for one (clause 5.19)."""
    keys = [walk.tree(key, (at, "{}"), depth + 1) for key, _ in pairs]
    texts = [_key_text(key, tree) for (key, _), tree in zip(pairs, keys, strict=True)]
    strings = [text for text in texts if text is not None]
    steps = map(key_step, strings) if len(strings) == len(texts) else ["{}"] * len(texts)
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
