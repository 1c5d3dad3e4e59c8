# SPDX-License-Identifier: Apache-2.0
"""What a schema says of places in the arguments, compiled once (clauses 7.4 to 7.6).

Validation proper is the validator's; this knows only types, and only at places that a schema
describes through `properties`, `items` and `$ref`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from isonomy.tools.places import follow, names_of
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


def shape_of(schema: Any) -> Shape:
    """Compile a schema, which may refer to itself."""
    return _Compiler(schema).shape(schema)


class _Compiler:
    def __init__(self, root: Any) -> None:
        self._root = root
        self._named = dict(_names(root))
        self._shapes: dict[int, Shape] = {}

    def shape(self, schema: Any) -> Shape:
        made = self._shapes.get(id(schema))
        if made is None:
            made = self._shapes[id(schema)] = Shape(self._types(schema, frozenset()))
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
                if not self._takes_null(inner, frozenset()):
                    refusing.add(name)
            if "items" in layer and made.items is None and "prefixItems" not in layer:
                made.items = self.shape(layer["items"])
        made.droppable = frozenset(refusing - required)

    def _layers(self, schema: Any) -> Iterator[Mapping[str, Any]]:
        """Yield a schema and what it refers to, in turn."""
        seen: set[int] = set()
        while isinstance(schema, Mapping) and id(schema) not in seen:
            seen.add(id(schema))
            yield schema
            schema = self._target(schema)

    def _target(self, schema: Mapping[str, Any]) -> Any:
        """Return what a `$ref` refers to inside the schema, or None."""
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return None
        if reference in self._named:
            return self._named[reference]
        base, _, fragment = reference.partition("#")
        start = self._named.get(base) if base else self._root
        return follow(start, names_of(unquote(fragment)))

    def _types(self, schema: Any, seen: frozenset[int]) -> list[str]:
        """Return the types that all alternatives of a schema name, empty where one does not."""
        if not isinstance(schema, Mapping) or id(schema) in seen:
            return []
        seen |= {id(schema)}
        declared = schema.get("type")
        if declared is not None:
            return [declared] if isinstance(declared, str) else list(declared)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                each = [self._types(one, seen) for one in schema[keyword]]
                if not all(each):
                    return []
                return list(dict.fromkeys(kind for kinds in each for kind in kinds))
        return self._types(self._target(schema), seen)

    def _takes_null(self, schema: Any, seen: frozenset[int]) -> bool:
        """Tell whether a schema accepts null; other keywords than these say nothing of it."""
        if not isinstance(schema, Mapping) or id(schema) in seen:
            return schema is not False
        seen |= {id(schema)}

        def takes(inner: Any) -> bool:
            return self._takes_null(inner, seen)

        declared = schema.get("type", "null")
        checks = [
            "null" in ([declared] if isinstance(declared, str) else declared),
            None in schema.get("enum", (None,)),
            schema.get("const") is None,
            all(takes(one) for one in schema.get("allOf", ())),
            "anyOf" not in schema or any(takes(one) for one in schema["anyOf"]),
            "oneOf" not in schema or sum(takes(one) for one in schema["oneOf"]) == 1,
            "not" not in schema or not takes(schema["not"]),
            "$ref" not in schema or takes(self._target(schema)),
        ]
        if "if" in schema:
            checks.append(takes(schema.get("then" if takes(schema["if"]) else "else", True)))
        return all(checks)


def _names(schema: Any) -> Iterator[tuple[str, Any]]:
    """Yield the anchors and identifiers inside a schema with what they name."""
    if isinstance(schema, Mapping):
        if isinstance(schema.get("$anchor"), str):
            yield f"#{schema['$anchor']}", schema
        if isinstance(schema.get("$id"), str):
            yield schema["$id"].rstrip("#"), schema
        for inner in schema.values():
            yield from _names(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from _names(inner)
