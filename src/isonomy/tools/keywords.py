# SPDX-License-Identifier: Apache-2.0
"""What the keywords of JSON Schema (2020-12) may say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

_TYPES: Final = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})


class SchemaFault(Exception):  # noqa: N818 - it is a verdict on what an author wrote
    """Raised when something is no schema of its own; the message is a phrase with the place."""


def check_keywords(schema: Mapping[str, Any], place: str) -> None:
    """Check what each keyword of a schema says, but not the schemas inside.

    Raises:
        SchemaFault: One says what it cannot.
    """
    for keyword, said in schema.items():
        check = _CHECKS.get(keyword)
        if check is not None and not check[0](said):
            raise SchemaFault(f"at {place} the {keyword} is not {check[1]}")


def _is_number(said: Any) -> bool:
    return isinstance(said, (int, float)) and not isinstance(said, bool)


def _is_size(said: Any) -> bool:
    return _is_number(said) and said >= 0 and said == int(said)


def _is_names(said: Any) -> bool:
    return (
        isinstance(said, list)
        and all(isinstance(one, str) for one in said)
        and len(set(said)) == len(said)
    )


def _is_types(said: Any) -> bool:
    if isinstance(said, str):
        return said in _TYPES
    return _is_names(said) and bool(said) and _TYPES.issuperset(said)


def _is_names_by_name(said: Any) -> bool:
    return isinstance(said, dict) and all(_is_names(one) for one in said.values())


_Check = tuple[Callable[[Any], bool], str]


def _each(check: _Check, *keywords: str) -> dict[str, _Check]:
    return dict.fromkeys(keywords, check)


def _is(kind: type) -> Callable[[Any], bool]:
    return lambda said: isinstance(said, kind)


_CHECKS: Final[dict[str, _Check]] = {
    **_each((_is_types, "a type or a list of different types"), "type"),
    **_each((_is(list), "a list"), "enum", "examples"),
    **_each((_is_number, "a number"), "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    **_each((lambda said: _is_number(said) and said > 0, "a number above 0"), "multipleOf"),
    **_each(
        (_is_size, "a whole number from 0"),
        *("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
        *("minContains", "maxContains"),
    ),
    **_each((_is_names, "a list of different names"), "required"),
    **_each((_is_names_by_name, "an object of lists of different names"), "dependentRequired"),
    **_each(
        (_is(dict), "an object"),
        *("properties", "patternProperties", "dependentSchemas", "$defs", "definitions"),
    ),
    **_each(
        (lambda said: isinstance(said, list) and bool(said), "a list of at least one schema"),
        *("allOf", "anyOf", "oneOf", "prefixItems"),
    ),
    **_each((_is(bool), "true or false"), "uniqueItems", "deprecated", "readOnly", "writeOnly"),
    **_each(
        (_is(str), "a text"),
        *("pattern", "$ref", "$dynamicRef", "$id", "$anchor", "$dynamicAnchor", "$schema"),
        *("title", "description", "format", "contentEncoding", "contentMediaType", "$comment"),
    ),
}
