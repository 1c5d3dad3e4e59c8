# SPDX-License-Identifier: Apache-2.0
"""What a schema says of places in the arguments, compiled once (clauses 7.4 to 7.6).

Validation proper is the validator's; this knows only types, and only at places that a schema
describes through `properties`, `items` and `$ref`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from isonomy.tools.document import Document
from isonomy.tools.judge import Judge
from isonomy.tools.violations import Step

_CONTAINERS = frozenset({"object", "array"})


class Shape:
    """One place: its types, its parts, and what may be done to a value there.

    Args:
        types: The types that the schema allows, in its order; empty where it does not say.
    """

    __slots__ = ("closed", "decodes", "droppable", "integer", "items", "properties", "types")

    def __init__(self, types: Sequence[str]) -> None:
        kinds = set(types) - {"null"}
        self.types = tuple(types)
        #: Whether a text here is one for JSON: nothing but objects and arrays is allowed.
        self.decodes = bool(kinds) and kinds <= _CONTAINERS
        #: Whether `1.0` here means `1`.
        self.integer = "integer" in kinds and "number" not in kinds
        self.properties: dict[str, Shape] = {}
        self.items: Shape | None = None
        #: Properties whose null counts as absent.
        self.droppable: frozenset[str] = frozenset()
        #: Whether other properties are not simply allowed (clause 7.13).
        self.closed = False

    def at(self, steps: Sequence[Step]) -> Shape | None:
        """Return the shape of a place below this one, or None where the schema does not say."""
        found: Shape | None = self
        for step in steps:
            if found is None:
                break
            found = found.items if isinstance(step, int) else found.properties.get(step)
        return found

    def parts(self) -> Iterator[Shape]:
        """Yield the shapes directly below this one."""
        yield from self.properties.values()
        if self.items is not None:
            yield self.items


def shape_of(schema: Mapping[str, Any]) -> Shape:
    """Compile a schema, which may refer to itself."""
    return shape_in(Document(dict(schema)))


def shape_in(document: Document) -> Shape:
    """Compile a schema that has been read."""
    return _Compiler(document).shape(document.root)


class _Compiler:
    def __init__(self, document: Document) -> None:
        self._document = document
        self._judge = Judge(document)
        self._shapes: dict[int, Shape] = {}

    def shape(self, schema: Any) -> Shape:
        made = self._shapes.get(id(schema))
        if made is None:
            made = self._shapes[id(schema)] = Shape(self._types(schema))
            self._fill(made, schema)
        return made

    def _fill(self, made: Shape, schema: Any) -> None:
        required: set[str] = set()
        refusing: set[str] = set()
        for layer in self._layers(schema):
            required.update(layer.get("required", ()))
            if layer.get("additionalProperties", True) is not True:
                made.closed = True
            for name, inner in layer.get("properties", {}).items():
                made.properties.setdefault(name, self.shape(inner))
                if not self._judge.fits(inner, None):
                    refusing.add(name)
            if "items" in layer and made.items is None and "prefixItems" not in layer:
                made.items = self.shape(layer["items"])
        made.droppable = frozenset(refusing - required)

    def _layers(self, schema: Any) -> Iterator[Mapping[str, Any]]:
        """Yield a schema and what it refers to, in turn."""
        while isinstance(schema, Mapping):
            yield schema
            schema = self._document.target(schema) if "$ref" in schema else None

    def _types(self, schema: Any) -> list[str]:
        """Return the types that all alternatives of a schema name, empty where one does not."""
        if not isinstance(schema, Mapping):
            return []
        declared = schema.get("type")
        if declared is not None:
            return [declared] if isinstance(declared, str) else list(declared)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                each = [self._types(one) for one in schema[keyword]]
                if not all(each):
                    return []
                return list(dict.fromkeys(kind for kinds in each for kind in kinds))
        return self._types(self._document.target(schema)) if "$ref" in schema else []
