# SPDX-License-Identifier: Apache-2.0
"""A JSON Schema as it is written: its faults, its patterns, and what its references name.

Every schema is read as 2020-12, whatever its `$schema` says (clause 7.3).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final
from urllib.parse import unquote

from isonomy.tools.keywords import SchemaFault, check_keywords
from isonomy.tools.pattern import Pattern
from isonomy.tools.pattern_syntax import PatternFault

MAX_CHAIN: Final = 64
"""Schemas that may judge one place one inside the other, by references and combinations."""
MAX_WAYS: Final = 10_000
"""Schemas that may judge one place in all."""

_MAPS: Final = ("properties", "patternProperties", "dependentSchemas", "$defs", "definitions")
_LISTS: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_ONES: Final = (
    "items", "additionalProperties", "unevaluatedItems", "unevaluatedProperties", "contains",
    "propertyNames", "not", "if", "then", "else",
)  # fmt: skip
_REFERENCES: Final = ("$ref", "$dynamicRef")
_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")


class Document:
    """A schema without faults; not changed once read.

    Args:
        root: The schema, of plain JSON values.

    Raises:
        SchemaFault: It is no JSON Schema (2020-12), refers to what it does not hold or to itself
            without end, or has a pattern that is not portable (clause 7.15).
    """

    def __init__(self, root: dict[str, Any]) -> None:
        self.root = root
        #: The patterns by their text.
        self.patterns: dict[str, Pattern] = {}
        self._identified: dict[str, Any] = {}
        self._anchored: dict[str, Any] = {}
        self._targets: dict[tuple[int, str], Any] = {}
        self._parts: list[tuple[dict[str, Any], Any, str]] = []
        self._seen: set[int] = set()
        self._measures: dict[int, tuple[int, int]] = {}
        self._read(root, root, "#")
        self._refer()
        #: Every schema in it, but those that are true or false.
        self.parts = [schema for schema, _, _ in self._parts]
        for schema in self.parts:
            self._measure(schema, 0)

    def targets(self, schema: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """Yield the keywords by which a schema refers to others, each with what it names."""
        for keyword in _REFERENCES:
            if keyword in schema:
                yield keyword, self.target(schema, keyword)

    def target(self, schema: Mapping[str, Any], keyword: str = "$ref") -> Any:
        """Return what a schema refers to by a keyword that it has."""
        return self._targets[id(schema), keyword]

    def together(self, schema: Mapping[str, Any]) -> Iterator[Any]:
        """Yield the schemas that may judge what others in a schema judge too."""
        yield from self._aside(schema)
        if "contains" in schema:
            yield schema["contains"]

    def _read(self, schema: Any, resource: Any, place: str) -> None:
        """Note all that a schema holds: parts, names, patterns; references are found later."""
        rest = [(schema, resource, place)]
        while rest:
            schema, resource, place = rest.pop()
            if isinstance(schema, bool) or id(schema) in self._seen:
                continue
            if not isinstance(schema, dict):
                raise SchemaFault(f"at {place} there is another value")
            self._seen.add(id(schema))
            check_keywords(schema, place)
            self._compile(schema, place)
            if "$id" in schema:
                resource = schema
                self._identified.setdefault(schema["$id"].removesuffix("#"), schema)
            for keyword in ("$anchor", "$dynamicAnchor"):
                if keyword in schema:
                    self._anchored.setdefault(schema[keyword], schema)
            self._parts.append((schema, resource, place))
            rest.extend((part, resource, f"{place}/{at}") for at, part in _inside(schema))

    def _refer(self) -> None:
        """Find what each reference names; that may be a part which no keyword leads to."""
        for schema, resource, place in self._parts:
            for keyword in _REFERENCES:
                if keyword in schema:
                    target = self._find(schema[keyword], resource, place)
                    self._targets[id(schema), keyword] = target
                    self._read(target, resource, schema[keyword])

    def _compile(self, schema: Mapping[str, Any], place: str) -> None:
        written = [schema["pattern"]] if "pattern" in schema else []
        for pattern in [*written, *schema.get("patternProperties", ())]:
            if pattern not in self.patterns:
                try:
                    self.patterns[pattern] = Pattern(pattern)
                except PatternFault as fault:
                    raise SchemaFault(
                        f"at {place} the pattern {pattern} is not portable: {fault}"
                    ) from fault

    def _find(self, reference: str, resource: Any, place: str) -> Any:
        base, _, fragment = reference.partition("#")
        start = self._identified.get(base) if base else resource
        found = None
        if fragment and not fragment.startswith("/"):
            found = self._anchored.get(fragment) if start else None
        elif start:
            found = follow(start, names_of(unquote(fragment)))
        if not isinstance(found, (dict, bool)):
            raise SchemaFault(
                f"at {place} it refers to {reference}, which it does not hold; put that under $defs"
            )
        return found

    def _measure(self, schema: Any, depth: int) -> tuple[int, int]:
        """Return how many schemas judge one place below this one, inside each other and in all."""
        known = self._measures.get(id(schema))
        if known is None and depth <= MAX_CHAIN:
            parts = [self._measure(part, depth + 1) for part in self._aside(schema)]
            height = 1 + max((part[0] for part in parts), default=0)
            known = self._measures[id(schema)] = height, 1 + sum(part[1] for part in parts)
        if known is None or depth + known[0] > MAX_CHAIN or known[1] > MAX_WAYS:
            raise SchemaFault(
                "its references and combinations come back to themselves, or are more "
                f"than {MAX_CHAIN} inside each other or {MAX_WAYS} in all"
            )
        return known

    def _aside(self, schema: Any) -> Iterator[Any]:
        """Yield the schemas that judge the same place as a schema that holds them."""
        if isinstance(schema, bool):
            return
        for _, target in self.targets(schema):
            yield target
        for keyword in ("allOf", "anyOf", "oneOf"):
            yield from schema.get(keyword, ())
        for keyword in ("not", "if", "then", "else"):
            if keyword in schema:
                yield schema[keyword]
        yield from schema.get("dependentSchemas", {}).values()


def follow(tree: Any, names: Iterable[str]) -> Any:
    """Return what stands at the end of a way through JSON values, or None."""
    for name in names:
        if isinstance(tree, Mapping):
            tree = tree.get(name)
        elif isinstance(tree, list) and _INDEX.fullmatch(name) and int(name) < len(tree):
            tree = tree[int(name)]
        else:
            return None
    return tree


def names_of(pointer: str) -> tuple[str, ...]:
    """Return the names on the way that a JSON Pointer describes."""
    return tuple(name.replace("~1", "/").replace("~0", "~") for name in pointer.split("/")[1:])


def _inside(schema: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the schemas directly inside of one, each with the way there."""
    for keyword in _MAPS:
        for name, part in schema.get(keyword, {}).items():
            yield f"{keyword}/{name}", part
    for keyword in _LISTS:
        for at, part in enumerate(schema.get(keyword, ())):
            yield f"{keyword}/{at}", part
    for keyword in _ONES:
        if keyword in schema:
            yield keyword, schema[keyword]
