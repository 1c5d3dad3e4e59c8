# SPDX-License-Identifier: Apache-2.0
"""From accepted JSON values to the types that a body declares (clause 7.11)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import NoneType
from typing import Annotated, Any, NamedTuple, get_args, get_origin

from pydantic import TypeAdapter, ValidationError

from isonomy.tools.violations import Step, Violation, path_of

_TRANSFORMS = ("strip_whitespace", "to_lower", "to_upper", "ascii_only")
_ANY = {"type": "any"}
_SCALARS = {"int": int, "float": float, "str": str, "bool": bool}
# Beginnings of pydantic's error types, longest first, with the contract's name of the type.
_NAMES = (
    ("time_delta", "duration"),
    ("datetime", "datetime"),
    ("timezone", "datetime"),
    ("decimal", "decimal"),
    ("base64", "bytes"),
    ("bytes", "bytes"),
    ("float", "number"),
    ("date", "date"),
    ("time", "time"),
    ("uuid", "uuid"),
    ("int", "integer"),
    ("url", "url"),
)


class Conversion(NamedTuple):
    """How one argument becomes what its parameter declares.

    Args:
        name: The argument's name.
        done: The type of values that need no conversion; None for no such type.
        adapter: Reads the others.
        type_name: What the declared type is called in a message.
    """

    name: str
    done: type | None
    adapter: TypeAdapter[Any]
    type_name: str


def conversion(
    name: str, annotation: Any, adapter: TypeAdapter[Any], *, given_schema: bool
) -> Conversion | None:
    """Return how an argument is converted, or None where the JSON value is already right.

    Args:
        name: The argument's name.
        annotation: The declared type.
        adapter: Reads that type.
        given_schema: Whether the schema was given, so that it may allow more than the type does.
    """
    reading = _reading(adapter.core_schema)
    done = _SCALARS.get(reading)
    if reading == "any" or (not given_schema and reading not in ("float", "other")):
        return None
    return Conversion(name, done, adapter, _type_name(annotation))


def _reading(core: Mapping[str, Any]) -> str:
    """Tell how a type reads JSON values that its own schema accepts.

    Scalar types and `any` read as their name; `same` and `ints` make nothing else of a value,
    the latter once the integers in its lists are ints; `other` may make anything.
    """
    kind = core["type"]
    if kind in ("default", "nullable"):
        return _reading(core["schema"])
    if kind in ("any", "int", "float", "bool"):
        return str(kind)
    if kind == "none":
        return "same"
    if kind == "str":
        return "other" if any(core.get(key) for key in _TRANSFORMS) else "str"
    if kind == "literal":
        return "same" if all(type(one) is str for one in core["expected"]) else "other"
    if kind == "list":
        inner = _reading(core.get("items_schema", _ANY))
        return {"int": "ints", "ints": "ints"}.get(inner, _same([inner], {"any"}))
    if kind == "dict":
        parts = (core.get("keys_schema", _ANY), core.get("values_schema", _ANY))
        return _same([_reading(part) for part in parts], {"any"})
    if kind == "union":
        choices = [one[0] if isinstance(one, tuple) else one for one in core["choices"]]
        return _same([_reading(one) for one in choices], {"int"})
    return "other"


def _same(readings: Sequence[str], further: set[str]) -> str:
    return "same" if set(readings) <= {"str", "bool", "same"} | further else "other"


def convert(conversions: Sequence[Conversion], arguments: dict[str, Any]) -> list[Violation]:
    """Convert arguments in place; return what could not be read."""
    violations: list[Violation] = []
    for name, done, adapter, type_name in conversions:
        if name not in arguments:
            continue
        value = arguments[name]
        if type(value) is done:
            continue
        try:
            arguments[name] = adapter.validator.validate_python(value)
        except ValidationError as error:
            try:
                arguments[name] = adapter.validator.validate_json(_as_json_text(value))
            except (ValidationError, ValueError, OverflowError):
                violations.extend(_violations(name, value, type_name, error))
    return violations


def _as_json_text(value: Any) -> str:
    """Return a value as JSON text, integral floats written as the integers that they are.

    Types that take nothing but JSON (strict models) or that refuse a float such as 1e30 as an
    integer read this where they did not read the value. An integer beyond every float raises
    OverflowError: JSON readers make it infinite where a float is declared.
    """
    return json.dumps(_integral(value))


def _integral(value: Any) -> Any:
    if type(value) is float and value.is_integer():
        return int(value)
    if type(value) is int:
        float(value)
    if type(value) is dict:
        return {key: _integral(item) for key, item in value.items()}
    if type(value) is list:
        return [_integral(item) for item in value]
    return value


def _violations(name: str, value: Any, type_name: str, error: ValidationError) -> list[Violation]:
    found = []
    for one in error.errors(include_url=False, include_context=False, include_input=False):
        steps = _steps(value, one["loc"])
        known = next((known for start, known in _NAMES if one["type"].startswith(start)), None)
        message = f"cannot be read as {known or type_name}"
        found.append(Violation(path_of([name, *steps]), "conversion", message))
    return found


def _steps(value: Any, location: Sequence[Step]) -> list[Step]:
    """Return the steps of a location that lead somewhere in the value that was sent.

    The others name alternatives of a union, or what a validator made up.
    """
    steps: list[Step] = []
    for step in location:
        inside = step in value if isinstance(value, dict) else _is_index(value, step)
        if inside:
            steps.append(step)
            value = value[step]
    return steps


def _is_index(value: Any, step: Step) -> bool:
    return isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value)


def _type_name(annotation: Any) -> str:
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if not isinstance(annotation, type):
        choices = [one for one in get_args(annotation) if one is not NoneType]
        if len(choices) == 1 and get_origin(annotation) is not None:
            return _type_name(choices[0])
    return getattr(annotation, "__name__", None) or str(annotation)
