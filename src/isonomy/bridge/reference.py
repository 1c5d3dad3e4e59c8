# SPDX-License-Identifier: Apache-2.0
"""How Java tools are named: a class, or any public method of any library (`JavaMethod`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

from isonomy.contract.misuse import Misuse


@final
@dataclass(frozen=True, slots=True)
class JavaMethod:
    """A public method of a Java class as a tool, with what its author could not say.

    Args:
        method: `com.acme.Prices#find`, or `com.acme.Prices#find(String,int[])` where there are
            others of that name: types by simple or full names, without generics.
        name: The name that calls use. Default: that of the method's `@Tool`; of a method that is
            not marked `CLASS_METHOD`, as in `LocalDate_parse`.
        description: What it does, for the model. Default: what its `@Tool` says.
        parameters: The names of the parameters that a model gives, in order. Default: those of
            `@ToolParam` or of the class file, else `arg0`, `arg1` and so on.

    Raises:
        Misuse: A field makes no sense.

    >>> JavaMethod("java.time.LocalDate#parse(CharSequence)", parameters=["text"]).name is None
    True
    """

    method: str
    name: str | None = None
    description: str | None = None
    parameters: Sequence[str] | None = None

    def __post_init__(self) -> None:
        given: Any = self.method
        if not isinstance(given, str) or "#" not in given:
            raise Misuse(
                f"a Java method is written CLASS#METHOD or CLASS#METHOD(TYPE), got {given!r}"
            )
        for what, text in (("name", self.name), ("description", self.description)):
            if text is not None and not isinstance(text, str):
                raise Misuse(f"the {what} of the Java tool {given!r} is text, got {text!r}")
        names: Any = self.parameters
        if names is not None and (
            isinstance(names, str)
            or not isinstance(names, Sequence)
            or not all(isinstance(name, str) for name in names)
        ):
            raise Misuse(f"the parameters of the Java tool {given!r} are a list of names")
        if names is not None:
            object.__setattr__(self, "parameters", tuple(names))

    def to_wire(self) -> dict[str, Any]:
        """Give the reference as the Java side reads it."""
        wire: dict[str, Any] = {"target": self.method}
        for field in ("name", "description"):
            if getattr(self, field) is not None:
                wire[field] = getattr(self, field)
        if self.parameters is not None:
            wire["parameters"] = list(self.parameters)
        return wire


def references(specs: Sequence[str | JavaMethod]) -> list[dict[str, Any]]:
    """Give the references of specs as the Java side reads them.

    Raises:
        Misuse: There is none, or one is neither text nor a `JavaMethod`.
    """
    if not specs:
        raise Misuse("java_tools was given no class; name at least one, as 'com.acme.Prices'")
    given: Sequence[Any] = specs
    wire = []
    for spec in given:
        if isinstance(spec, JavaMethod):
            wire.append(spec.to_wire())
        elif isinstance(spec, str) and spec.strip():
            wire.append({"target": spec})
        else:
            raise Misuse(
                "java_tools takes names of Java classes and methods as texts, or JavaMethods; got"
                f" {spec!r}"
            )
    return wire
