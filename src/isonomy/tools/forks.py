# SPDX-License-Identifier: Apache-2.0
"""Whether judging a value by a schema may take more ways than anybody can wait for.

A schema that comes back to itself below two of its alternatives doubles its ways with each level of
a value. A judge that remembers what it judged goes each way once; others must not be asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from isonomy.tools.document import Document

MAX_WAYS: Final = 100_000
"""Ways through a schema that comes back nowhere twice, which a judge without memory may take."""


def multiplies(document: Document) -> bool:
    """Tell whether the ways through a schema multiply with the depth of a value."""
    try:
        return _Ways(document).through(document.root) > MAX_WAYS
    except RecursionError:  # so long a chain of schemas is left to the judge with a memory
        return True


class _Ways:
    """Counts the ways through schemas; one that comes back on two ways has more than any number."""

    def __init__(self, document: Document) -> None:
        self._document = document
        #: By schema: the ways through it, and whether it comes back; None while it is looked at.
        self._known: dict[int, tuple[int, bool] | None] = {}

    def through(self, schema: Any) -> int:
        return self._look(schema)[0]

    def _look(self, schema: Any) -> tuple[int, bool]:
        if isinstance(schema, bool):
            return 1, False
        if id(schema) in self._known:
            return self._known[id(schema)] or (1, True)
        self._known[id(schema)] = None
        here = [self._look(part) for part in self._document.together(schema)]
        below = [self._look(part) for part in _below(schema)]
        back = sum(comes for _, comes in here) + any(comes for _, comes in below)
        ways = 1 + sum(count for count, _ in here + below)
        made = (ways if back < 2 else MAX_WAYS + 1), back > 0
        self._known[id(schema)] = made
        return made


def _below(schema: dict[str, Any]) -> Iterator[Any]:
    """Yield the schemas of which one judges each part of a value."""
    yield from schema.get("properties", {}).values()
    yield from schema.get("prefixItems", ())
    for keyword in ("additionalProperties", "items"):
        if keyword in schema:
            yield schema[keyword]
