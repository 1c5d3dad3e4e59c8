# SPDX-License-Identifier: Apache-2.0
"""Tools whose body is a Python callable."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from isonomy.contract.error import Effect, ErrorKind
from isonomy.contract.mapping import settled
from isonomy.contract.misuse import Misuse
from isonomy.contract.outcome import Outcome, Settled
from isonomy.tools import boundary
from isonomy.tools.arguments import anything, parse
from isonomy.tools.binding import Binding
from isonomy.tools.boundary import Refused
from isonomy.tools.injection import folded
from isonomy.tools.options import ToolOptions
from isonomy.tools.pattern import TooMuchWork
from isonomy.tools.repair import integer_fix, repair
from isonomy.tools.shape import shape_in
from isonomy.tools.signature import Signature
from isonomy.tools.tool import Invocation, Tool
from isonomy.tools.validator import Validator
from isonomy.tools.violations import Violation, message_of, path_of, refusal


class FunctionTool(Tool):
    """A tool whose body is a Python callable.

    Made by `as_tool` and `ToolRegistry`. Arguments are judged by the schema (clause 7.3), then
    converted to the declared types; the callable runs in the thread that invokes the tool. Its
    generators and iterators are returned as they are, never consumed (clause 3.7).

    Args:
        function: The callable.
        name: The tool's name.
        validator: Judges its arguments.
        signature: What the callable takes.
        binding: How accepted arguments become those of the callable.
        description: What the model reads.
        options: The author's further options.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        name: str,
        validator: Validator,
        signature: Signature,
        binding: Binding,
        *,
        description: str = "",
        options: ToolOptions,
    ) -> None:
        super().__init__(
            name,
            description=description,
            input_schema=validator.schema,
            injected=dict(signature.injected),
            version=options.version,
            max_parallel=options.max_parallel,
            deadline=options.deadline,
            is_async=is_async(function),
            inline=options.inline,
            wants_context=signature.context is not None,
        )
        warn_of_generator(function, name)
        self.needs = frozenset(
            str(mark.name)
            for parameter, mark in signature.injected.items()
            if parameter not in signature.defaulted
        )
        self.function = function
        self._binding = None if binding.is_direct else binding
        self._validator = validator
        self._accepts = validator.accepts
        self._shape = shape_in(validator.document)
        self._integers = integer_fix(self._shape)
        self._reserved = _reserved(signature, self._shape.properties, name)

    def invoke(self, invocation: Invocation) -> Outcome:
        """Validate, bind and call; see `Tool.invoke`."""
        return boundary.serve(self._accept, self._call, invocation.passing, invocation)

    def _accept(self, invocation: Invocation) -> dict[str, Any]:
        """Return the arguments that the schema accepts."""
        arguments = parse(invocation.arguments, self._types_at)
        if isinstance(arguments, Settled):
            raise Refused(arguments)
        withheld = self._withhold(arguments) if self._reserved else ()
        try:
            if withheld or not self._accepts(arguments):
                self._reconsider(arguments, withheld, invocation)
        except TooMuchWork as much:
            raise Refused(settled(ErrorKind.INTERNAL, str(much), Effect.NONE)) from None
        if self._integers is not None:
            self._integers(arguments)
        return arguments

    def _call(self, arguments: dict[str, Any], invocation: Invocation) -> Any:
        if self._binding is None:
            return self.function(**arguments)
        return self._binding.call(self.function, arguments, invocation)

    def _reconsider(
        self, arguments: dict[str, Any], withheld: tuple[Violation, ...], invocation: Invocation
    ) -> None:
        """Accept what clauses 7.5 and 7.6 make valid, and refuse the rest."""
        invocation.decoded = repair(self._shape, arguments)
        violations = [*withheld, *self._validator.violations(arguments)]
        if violations:
            raise Refused(refusal(violations))

    def _withhold(self, arguments: dict[str, Any]) -> tuple[Violation, ...]:
        """Take out what only the host may set; say so unless the schema is open (clause 7.13)."""
        sent = [
            key
            for key in arguments
            if key not in self._shape.properties and folded(key) in self._reserved
        ]
        for key in sent:
            del arguments[key]
        if not self._shape.closed:
            return ()
        message = message_of("injected", None)
        return tuple(Violation(path_of([key]), "injected", message) for key in sent)

    def _types_at(self, steps: Any) -> Any:
        shape = self._shape.at(steps)
        return (shape.types if shape else ()) or anything(steps)


def _reserved(signature: Signature, properties: Mapping[str, Any], name: str) -> frozenset[str]:
    """Return the folded names that only the host may set: of parameters, and the host's own.

    Raises:
        Misuse: A property differs from one of them in case, `_` or `-` only, or not at all.
    """
    reserved: dict[str, str] = {}
    for parameter, mark in signature.injected.items():
        for taken in (parameter, mark.name or parameter):
            reserved.setdefault(folded(taken), taken)
    for key in properties:
        if folded(key) in reserved:
            raise Misuse(
                f"tool {name!r}: parameter {key!r} and the injected {reserved[folded(key)]!r} "
                "are one name, for case, '_' and '-' do not tell names apart; rename one"
            )
    return frozenset(reserved)


def warn_of_generator(function: Callable[..., Any], name: str) -> None:
    """Warn of a function whose calls make a generator, whose body would never run (clause 3.7)."""
    body = function
    while isinstance(body, functools.partial):
        body = body.func
    if inspect.isgeneratorfunction(body) or inspect.isasyncgenfunction(body):
        warnings.warn(
            f"tool {name!r} is a generator function: its calls succeed with a generator that "
            "nobody runs; return a list, or whatever the generator yields, instead",
            stacklevel=2,
        )


def is_async(function: Callable[..., Any]) -> bool:
    """Tell whether calling a callable gives a coroutine to await.

    A wrapper is judged by itself: it may run the coroutine of what it wraps.
    """
    while isinstance(function, functools.partial):
        function = function.func
    if inspect.isroutine(function) or isinstance(function, type):
        return inspect.iscoroutinefunction(function)
    return inspect.iscoroutinefunction(inspect.getattr_static(type(function), "__call__", None))
