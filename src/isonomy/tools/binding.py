# SPDX-License-Identifier: Apache-2.0
"""From accepted arguments to the call of a function: conversion, defaults, what the host fills."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from isonomy.contract.error import Effect, ErrorKind
from isonomy.contract.mapping import settled
from isonomy.contract.misuse import Misuse
from isonomy.tools.boundary import Refused
from isonomy.tools.conversion import Conversion, convert
from isonomy.tools.signature import REQUIRED, Signature
from isonomy.tools.tool import Invocation
from isonomy.tools.violations import as_json, refusal


class Filling(NamedTuple):
    """An injected parameter, the host's name of its value, and whether it has a default."""

    parameter: str
    name: str
    optional: bool


class Binding:
    """Turns accepted arguments into those of one function, by a plan made once.

    Args:
        signature: What the function takes.
        conversions: The arguments to convert.
        rest: How the values of `**kwargs` are converted.
        aliases: Arguments named otherwise than their parameters, as `(argument, parameter)`.
        written: Defaults that the schema states and the function does not apply by itself, as
            JSON values, by argument name.
        makers: Makers of the defaults that stand in `Field(...)`, by parameter name.
        dropping: Whether arguments that no parameter takes are left out.
    """

    def __init__(
        self,
        signature: Signature,
        conversions: Iterable[Conversion | None] = (),
        *,
        rest: Conversion | None = None,
        aliases: Iterable[tuple[str, str]] = (),
        written: Mapping[str, Any] | None = None,
        makers: Mapping[str, Callable[[], Any]] | None = None,
        dropping: bool = False,
    ) -> None:
        self._conversions = tuple(one for one in conversions if one is not None)
        self._rest = rest
        self._aliases = tuple(aliases)
        self._written = tuple((written or {}).items())
        self._makers = tuple((makers or {}).items())
        self._fillings = tuple(
            Filling(parameter, mark.name or parameter, parameter in signature.defaulted)
            for parameter, mark in signature.injected.items()
        )
        self._context = signature.context
        self._known = {one.name for one in signature.parameters}
        self._dropping = dropping
        self._positions = signature.positions
        self._defaults = {one.name: one.default for one in signature.parameters}

    @property
    def is_direct(self) -> bool:
        """Whether accepted arguments are the function's keyword arguments as they are."""
        return not (
            self._conversions
            or self._rest
            or self._aliases
            or self._written
            or self._makers
            or self._fillings
            or self._context
            or self._dropping
            or self._positions
        )

    def call(
        self, function: Callable[..., Any], arguments: dict[str, Any], invocation: Invocation
    ) -> Any:
        """Call the function.

        Raises:
            Refused: An argument cannot be converted, or the host lacks an injected value.
        """
        for name, value in self._written:
            if name not in arguments:
                arguments[name] = copy.deepcopy(value)
        violations = convert(self._conversions, arguments)
        if self._rest is not None:
            names = arguments.keys() - self._known - {name for name, _ in self._aliases}
            violations += convert([self._rest._replace(name=name) for name in names], arguments)
        if violations:
            raise Refused(refusal(violations))
        for name, parameter in self._aliases:
            if name in arguments:
                arguments[parameter] = arguments.pop(name)
        if self._dropping:
            arguments = {key: value for key, value in arguments.items() if key in self._known}
        for parameter, make in self._makers:
            if parameter not in arguments:
                arguments[parameter] = make()
        self._fill(arguments, invocation)
        if self._positions:
            return function(*self._take_positions(arguments), **arguments)
        return function(**arguments)

    def _fill(self, arguments: dict[str, Any], invocation: Invocation) -> None:
        for parameter, name, optional in self._fillings:
            if name in invocation.injected:
                arguments[parameter] = invocation.injected[name]
            elif not optional:
                raise Refused(
                    settled(
                        ErrorKind.INTERNAL,
                        f"the host has no value named {as_json(name)} to inject",
                        Effect.NONE,
                    )
                )
        if self._context is not None:
            arguments[self._context] = invocation.context

    def _take_positions(self, arguments: dict[str, Any]) -> list[Any]:
        """Take positional-only arguments out, up to the last that was given."""
        last = max((at for at, name in enumerate(self._positions) if name in arguments), default=-1)
        return [
            arguments.pop(name) if name in arguments else self._defaults[name]
            for name in self._positions[: last + 1]
        ]


def check_against(schema: Mapping[str, Any], signature: Signature, name: str) -> None:
    """Refuse a given schema that a function cannot serve.

    Raises:
        Misuse: A property has no parameter, is filled by the host, or a parameter without a
            default has no property.
    """
    properties = schema.get("properties", {})
    taken = {one.name for one in signature.parameters}
    filled = {*signature.injected, signature.context}
    for key in properties:
        if key in filled:
            raise Misuse(
                f"tool {name!r}: the host fills parameter {key!r}; leave it out of the schema"
            )
        if signature.rest is None and key not in taken:
            raise Misuse(
                f"tool {name!r}: no parameter takes property {key!r} of its schema; "
                "add one, or **kwargs"
            )
    for one in signature.parameters:
        if one.default is REQUIRED and one.name not in properties:
            raise Misuse(
                f"tool {name!r}: its schema has no property for parameter {one.name!r}; "
                "add one, or give the parameter a default"
            )
