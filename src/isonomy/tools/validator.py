# SPDX-License-Identifier: Apache-2.0
"""JSON Schema as the judge of arguments (clauses 7.3, 7.9 and 7.10)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

import jsonschema_rs

from isonomy.contract.misuse import Misuse
from isonomy.tools.places import Places, follow
from isonomy.tools.violations import Step, Violation, message_of, path_of, without_surrogates

# How many steps of the schema's path a keyword takes beside itself, and of the instance's.
_INTO_PLACE = {"properties": 1, "patternProperties": 1, "prefixItems": 1}
_INTO_EACH = frozenset({"items", "additionalProperties", "unevaluatedItems"})
_ASIDE = {"allOf": 1, "dependentSchemas": 1}
_CHOOSING = frozenset({"then", "else"})


class Validator:
    """A compiled schema; safe to use from several threads.

    Nothing is fetched: a reference that leads out of the schema is misuse.

    Args:
        schema: The schema, 2020-12 unless its `$schema` names another draft.
        name: The tool's name, for messages.

    Raises:
        Misuse: It is not a schema.
    """

    def __init__(self, schema: dict[str, Any], name: str) -> None:
        self.schema = schema
        try:
            self._compiled = jsonschema_rs.validator_for(
                schema, validate_formats=False, retriever=_refuse
            )
        except ValueError as error:
            reason = str(error).partition("\n")[0]
            raise Misuse(
                f"tool {name!r}: its schema is no JSON Schema of its own ({reason}); correct it, "
                "and put what it refers to under $defs"
            ) from error
        #: Judges plain values; raises UnicodeEncodeError at a lone surrogate it has to look at.
        self.is_valid = self._compiled.is_valid

    def accepts(self, arguments: Any) -> bool:
        """Tell whether plain values fit the schema, surrogates too."""
        try:
            return self._compiled.is_valid(arguments)
        except UnicodeEncodeError:
            return self._compiled.is_valid(_encodable(arguments))

    def violations(self, arguments: Any) -> list[Violation]:
        """Return every rule that plain values break."""
        arguments = _encodable(arguments)
        places = Places(self._compiled.evaluate(arguments).list()["details"])
        found = self._compiled.iter_errors(arguments)
        return [one for error in found for one in self._of(error, places, arguments)]

    def _of(
        self, error: jsonschema_rs.ValidationError, places: Places, arguments: Any
    ) -> Iterator[Violation]:
        place = places.of(error.evaluation_path, error.instance_path)
        depth, rule = _reported(place.keywords)
        steps = _steps(arguments, place.instance[:depth])
        kind = error.kind.as_dict()
        further: Sequence[str | None] = (None,)
        if rule == "required":
            further = (kind["property"],)
        elif rule in ("additionalProperties", "unevaluatedProperties") and "unexpected" in kind:
            further = kind["unexpected"]
        message = message_of(rule, self._value(rule, place.written, kind))
        for name in further:
            yield Violation(path_of(steps if name is None else [*steps, name]), rule, message)

    def _value(self, rule: str, written: Sequence[str], kind: Mapping[str, Any]) -> Any:
        """Return what the schema says under a rule: as written there, else as compiled."""
        if rule == "type":
            found = follow(self.schema, written)
            listed = [found] if isinstance(found, str) else found
            same = isinstance(listed, list) and set(listed) == set(kind["types"])
            return listed if same else kind["types"]
        return next((kind[key] for key in _PARAMETERS if key in kind), None)


_PARAMETERS = ("limit", "options", "expected_value", "multiple_of", "pattern")


def _refuse(uri: str) -> NoReturn:
    """Stand in for what would fetch a schema from elsewhere."""
    raise Misuse(f"{uri} is not inside the schema")


def _reported(keywords: Sequence[str]) -> tuple[int | None, str]:
    """Return the keyword under which a violation is reported, and how deep (clause 7.10).

    `then` and `else` belong to their `if`, which is reported at its own place: the depth is that
    of the instance there. It is None for the place of the violation itself.
    """
    at = depth = 0
    rule = "false"
    while at < len(keywords):
        keyword = keywords[at]
        if keyword in _CHOOSING:
            return depth, "if"
        rule = keyword
        if keyword == "propertyNames":
            break
        at += 1 + _INTO_PLACE.get(keyword, 0) + _ASIDE.get(keyword, 0)
        if keyword in _INTO_PLACE or (keyword in _INTO_EACH and at < len(keywords)):
            depth += 1
    return None, rule


def _steps(value: Any, names: Sequence[str]) -> list[Step]:
    """Return the way to a place, positions in lists as numbers."""
    steps: list[Step] = []
    for name in names:
        step = int(name) if type(value) is list else name
        steps.append(step)
        value = value[step]
    return steps


def _encodable(value: Any) -> Any:
    """Return a copy with each lone surrogate replaced by one other character.

    No schema can name a lone surrogate, so this keeps lengths and changes nothing else that a
    rule could tell apart.
    """
    if type(value) is str:
        return without_surrogates(value)
    if type(value) is dict:
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    if type(value) is list:
        return [_encodable(item) for item in value]
    return value
