# SPDX-License-Identifier: Apache-2.0
"""Where a validator found something, exactly.

The paths that jsonschema-rs gives with an error leave out empty names and turn names such as `0`
or `+1` into numbers. Its full evaluation holds the same places as JSON Pointers, which are exact.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

_NUMBER = re.compile(r"\+?[0-9]+")
_LIMIT = 2**64

Names = tuple[str, ...]


class Place(NamedTuple):
    """Where one rule was broken, each as the names on the way there.

    Args:
        keywords: Through the schema as it was applied, references included.
        instance: Through the values, positions in lists as text.
        written: Through the schema as it is written.
    """

    keywords: Names
    instance: Names
    written: Names


class Places:
    """The places of one evaluation that did not pass.

    Args:
        details: The units of an evaluation in list form.
    """

    def __init__(self, details: Iterable[Mapping[str, Any]]) -> None:
        self._exact: dict[tuple[Names, Names], list[Place]] = defaultdict(list)
        for unit in details:
            if not unit["valid"]:
                keywords, instance = (
                    names_of(unit["evaluationPath"]),
                    names_of(unit["instanceLocation"]),
                )
                place = Place(keywords, instance, names_of(unit["schemaLocation"]))
                self._exact[_blurred(keywords), _blurred(instance)].append(place)

    def of(self, keywords: Sequence[str | int], instance: Sequence[str | int]) -> Place:
        """Return the exact place of an error; each is given out once."""
        blurred = tuple(map(str, keywords)), tuple(map(str, instance))
        found = self._exact.get(blurred)
        return found.pop(0) if found else Place(*blurred, ())


def follow(tree: Any, names: Iterable[str]) -> Any:
    """Return what stands at the end of a way through JSON values, or None."""
    for name in names:
        if isinstance(tree, Mapping):
            tree = tree.get(name)
        elif isinstance(tree, list) and _NUMBER.fullmatch(name) and int(name) < len(tree):
            tree = tree[int(name)]
        else:
            return None
    return tree


def names_of(pointer: str) -> Names:
    """Return the names on the way that a JSON Pointer describes."""
    return tuple(name.replace("~1", "/").replace("~0", "~") for name in pointer.split("/")[1:])


def _blurred(names: Names) -> Names:
    """Return names as the validator's paths have them."""
    return tuple(
        str(int(name)) if _NUMBER.fullmatch(name) and int(name) < _LIMIT else name
        for name in names
        if name
    )
