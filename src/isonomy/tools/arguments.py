# SPDX-License-Identifier: Apache-2.0
"""The arguments of a call, from what came to plain JSON values (clauses 7.1 and 7.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from isonomy.contract.outcome import Settled
from isonomy.tools.parsing import MAX_DIGITS, BrokenText, parse_text
from isonomy.tools.violations import (
    MAX_DEPTH,
    WHOLE,
    Step,
    Violation,
    message_of,
    path_of,
    refusal,
)

Expected = Callable[[Sequence[Step]], Sequence[str]]
"""Gives the JSON types that a schema allows at a place."""

_TOO_LARGE = 10**MAX_DIGITS
_ANY = ("object", "array", "string", "number", "boolean", "null")


def anything(steps: Sequence[Step]) -> Sequence[str]:
    """Return every JSON type: what a place without a schema allows."""
    return _ANY


def parse(arguments: Any, expected: Expected = anything) -> dict[str, Any] | Settled:
    """Return the arguments of a call as plain JSON values, or the outcome that refuses them.

    The values are dict, list, str, int, float, bool and None, exactly. Containers are new, so a
    body may change them. Subclasses of these types are taken for the type itself and a tuple for
    a list.

    Args:
        arguments: A mapping, JSON text (str or UTF-8 bytes), or None.
        expected: What the schema allows, for the message about a value of another kind.

    >>> parse('{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    >>> parse(None), parse(" ")
    ({}, {})
    >>> parse("[1]").error.message
    'arguments: expected object'
    """
    if type(arguments) is dict and all(map(_is_plain, arguments, arguments.values())):
        return dict(arguments)
    if isinstance(arguments, Mapping):
        copier = _Copier(expected)
        copied: dict[str, Any] = copier.copy(arguments, 1)
        return refusal(copier.violations) if copier.violations else copied
    if arguments is None or (isinstance(arguments, (str, bytes)) and not arguments.strip()):
        return {}
    if isinstance(arguments, (str, bytes)):
        try:
            arguments = parse_text(arguments)
        except BrokenText as broken:
            return refusal(broken.violations)
        if type(arguments) is dict:
            return arguments
        if arguments is None:
            return {}
    return refusal([Violation(WHOLE, "type", message_of("type", "object"))])


def _is_plain(key: Any, value: Any) -> bool:
    """Tell whether a member is a scalar that needs no second look, by its exact type."""
    kind = type(value)
    if type(key) is not str:
        return False
    if kind is str or kind is bool or value is None:
        return True
    if kind is int:
        return bool(-_TOO_LARGE < value < _TOO_LARGE)
    return kind is float and bool(value - value == 0.0)


class _Copier:
    """Copies host-made values into plain ones and notes what has no place in arguments."""

    def __init__(self, expected: Expected) -> None:
        self.violations: list[Violation] = []
        self._expected = expected
        self._steps: list[Step] = []

    def copy(self, value: Any, depth: int) -> Any:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return str.__str__(value)
        if isinstance(value, int):
            return self._integer(value)
        if isinstance(value, float):
            return float(value) if value - value == 0.0 else self._refuse("type")
        if isinstance(value, Mapping):
            if not all(isinstance(key, str) for key in value):
                return self._refuse("type")
            return self._container(value.items(), depth, dict)
        if isinstance(value, (list, tuple)):
            return self._container(enumerate(value), depth, lambda made: [one for _, one in made])
        return self._refuse("type")

    def _integer(self, value: int) -> Any:
        return int(value) if -_TOO_LARGE < value < _TOO_LARGE else self._refuse_whole("json")

    def _container(self, members: Any, depth: int, build: Callable[[Any], Any]) -> Any:
        if depth > MAX_DEPTH:
            return self._refuse_whole("depth")
        made = []
        for step, item in members:
            self._steps.append(step)
            made.append((step, self.copy(item, depth + 1)))
            self._steps.pop()
        return build(made)

    def _refuse(self, rule: str) -> None:
        message = message_of(rule, self._expected(self._steps))
        self.violations.append(Violation(path_of(self._steps), rule, message))

    def _refuse_whole(self, rule: str) -> None:
        self.violations.append(Violation(WHOLE, rule, message_of(rule, None)))
