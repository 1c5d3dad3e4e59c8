# SPDX-License-Identifier: Apache-2.0
"""Tools whose arguments are judged in this process, by a schema, before their body runs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from isonomy.contract.error import Effect, ErrorKind
from isonomy.contract.mapping import settled
from isonomy.contract.misuse import Misuse
from isonomy.contract.outcome import Outcome, Settled
from isonomy.tools import boundary
from isonomy.tools.arguments import anything, parse
from isonomy.tools.boundary import Refused
from isonomy.tools.injection import Injected, folded
from isonomy.tools.pattern import TooMuchWork
from isonomy.tools.repair import integer_fix, repair
from isonomy.tools.shape import shape_in
from isonomy.tools.tool import Invocation, Tool
from isonomy.tools.validator import Validator
from isonomy.tools.violations import Violation, message_of, path_of, refusal


class JudgedTool(Tool):
    """A tool whose arguments are judged by its schema (clauses 7.1 to 7.13).

    Args:
        name: The tool's name.
        validator: Judges its arguments.
        injected: The injected parameters, as `Tool` takes them.
        options: What else `Tool` takes.
    """

    def __init__(
        self,
        name: str,
        validator: Validator,
        injected: Mapping[str, Injected],
        **options: Any,
    ) -> None:
        super().__init__(name, input_schema=validator.schema, injected=injected, **options)
        self._validator = validator
        self._accepts = validator.accepts
        self._shape = shape_in(validator.document)
        self._integers = integer_fix(self._shape)
        self._reserved = _reserved(injected, self._shape.properties, name)

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

    @abstractmethod
    def _call(self, arguments: dict[str, Any], invocation: Invocation) -> Any:
        """Run the body with arguments that were accepted, and return what it returns."""

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


def _reserved(
    injected: Mapping[str, Injected], properties: Mapping[str, Any], name: str
) -> frozenset[str]:
    """Return the folded names that only the host may set: of parameters, and the host's own.

    Raises:
        Misuse: A property differs from one of them in case, `_` or `-` only, or not at all.
    """
    reserved: dict[str, str] = {}
    for parameter, mark in injected.items():
        for taken in (parameter, mark.name or parameter):
            reserved.setdefault(folded(taken), taken)
    for key in properties:
        if folded(key) in reserved:
            raise Misuse(
                f"tool {name!r}: parameter {key!r} and the injected {reserved[folded(key)]!r} "
                "are one name, for case, '_' and '-' do not tell names apart; rename one"
            )
    return frozenset(reserved)
