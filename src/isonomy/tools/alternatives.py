# SPDX-License-Identifier: Apache-2.0
"""Alternatives of a derived schema, written so that a violation can name the innermost rule."""

from __future__ import annotations

from typing import Any

# Keywords whose value is data and not a schema.
_DATA = frozenset({"const", "default", "enum", "examples", "required", "type"})
# Keywords that ask nothing of a value of another type, and annotations.
_TYPED = frozenset(
    {
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("minLength", "maxLength", "pattern"),
        *("items", "prefixItems", "minItems", "maxItems", "uniqueItems"),
        *("properties", "required", "additionalProperties", "patternProperties"),
        *("propertyNames", "minProperties", "maxProperties"),
        *("type", "title", "description", "format", "contentEncoding"),
    }
)


def tidy(shape: Any) -> Any:
    """Write alternatives that differ by type only as one list of types.

    `{"anyOf": [{"type": "integer"}, {"type": "null"}]}` becomes `{"type": ["integer", "null"]}`,
    which says the same and lets a violation name the innermost rule (clause 7.10).
    """
    if isinstance(shape, list):
        return [tidy(one) for one in shape]
    if not isinstance(shape, dict):
        return shape
    made = {key: value if key in _DATA else tidy(value) for key, value in shape.items()}
    choices = made.get("anyOf")
    if choices is None or "type" in made:
        return made
    rich = [one for one in choices if set(one) != {"type"}]
    if len(rich) > 1 or not all(_is_typed(one) for one in rich):
        return made
    types = [kind for one in choices for kind in _list(one["type"])]
    if len(rich) == 1 and len(types) != len(set(types)):
        return made
    del made["anyOf"]
    merged = {"type": list(dict.fromkeys(types)), **{k: v for one in rich for k, v in one.items()}}
    merged["type"] = list(dict.fromkeys(types))
    return {**merged, **made}


def _is_typed(shape: Any) -> bool:
    return isinstance(shape, dict) and "type" in shape and set(shape) <= _TYPED


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
