# SPDX-License-Identifier: Apache-2.0
"""The arguments of a call, from what came to plain JSON values (clauses 7.1 and 7.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from isonomy.contract.outcome import Settled
from isonomy.tools.parsing import MAX_DIGITS, BrokenText, is_blank, parse_text
from isonomy.tools.violations import (
    MAX_DEPTH,
    WHOLE,
    Step,
    Violation,
    path_of,
    refusal,
    type_message,
)

Expected = Callable[[Sequence[Step]], Sequence[str]]
"""Gives the JSON types that a schema allows at a place."""

_TOO_LARGE = 10**MAX_DIGITS


def anything(_: Sequence[Step]) -> Sequence[str]:
    """Return what a place without a schema allows."""
    return ("a JSON value",)


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
    if type(arguments) is dict and _is_flat(arguments):
        return arguments.copy()
    if isinstance(arguments, Mapping):
        return _copied(arguments, expected)
    if arguments is None:
        return {}
    if isinstance(arguments, (str, bytes)):
        if is_blank(arguments):
            return {}
        try:
            arguments = parse_text(arguments)
        except BrokenText as broken:
            return refusal([broken.violation])
        if type(arguments) is dict:
            return arguments
        if arguments is None:
            return {}
    return refusal([Violation(WHOLE, "type", type_message(["object"]))])


def _is_flat(arguments: dict[Any, Any]) -> bool:
    """Tell whether all members are plain scalars, which need no second look.

    Every call comes through here: one loop, exact types, the commonest first.
    """
    for key, value in arguments.items():
        if type(key) is not str:
            return False
        kind = type(value)
        if kind is str or kind is bool or value is None:
            continue
        if kind is int:
            if not -_TOO_LARGE < value < _TOO_LARGE:
                return False
        elif kind is not float or value - value != 0.0:
            return False
    return True


def _copied(arguments: Mapping[Any, Any], expected: Expected) -> dict[str, Any] | Settled:
    if not all(isinstance(key, str) for key in arguments):
        return refusal([Violation(WHOLE, "type", type_message(["object"]))])
    copier = _Copier(expected)
    try:
        copied: dict[str, Any] = copier.copy(arguments, 1)
    except BrokenText as broken:
        return refusal([broken.violation])
    return refusal(copier.violations) if copier.violations else copied


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
            return float(value) if value - value == 0.0 else self._refuse()
        if isinstance(value, Mapping):
            if not all(isinstance(key, str) for key in value):
                return self._refuse()
            return self._container(value.items(), depth, dict)
        if isinstance(value, (list, tuple)):
            return self._container(enumerate(value), depth, lambda made: [one for _, one in made])
        return self._refuse()

    def _integer(self, value: int) -> int:
        if not -_TOO_LARGE < value < _TOO_LARGE:
            raise BrokenText("json")
        return int(value)

    def _container(self, members: Any, depth: int, build: Callable[[Any], Any]) -> Any:
        if depth > MAX_DEPTH:
            raise BrokenText("depth")
        made = []
        for step, item in members:
            self._steps.append(step)
            made.append((step, self.copy(item, depth + 1)))
            self._steps.pop()
        return build(made)

    def _refuse(self) -> None:
        message = type_message(self._expected(self._steps))
        self.violations.append(Violation(path_of(self._steps), "type", message))
