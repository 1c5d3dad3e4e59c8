# SPDX-License-Identifier: Apache-2.0
"""The mark that makes a function a tool and leaves it the function it was."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from types import MethodType
from typing import Any, TypeVar, overload

from isonomy.contract.misuse import Misuse
from isonomy.tools.options import MARK, ToolOptions
from isonomy.tools.signature import local_names

_Callable = TypeVar(
    "_Callable",
    bound="Callable[..., Any] | classmethod[Any, Any, Any] | staticmethod[Any, Any]",
)


@overload
def tool(function: _Callable, /) -> _Callable: ...
@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    version: str | None = None,
    inline: bool = False,
    max_parallel: int | None = None,
    deadline: float | timedelta | None = None,
    schema: Mapping[str, Any] | None = None,
    allow_unknown: bool = False,
) -> Callable[[_Callable], _Callable]: ...
def tool(
    function: Any = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    version: str | None = None,
    inline: bool = False,
    max_parallel: int | None = None,
    deadline: float | timedelta | None = None,
    schema: Mapping[str, Any] | None = None,
    allow_unknown: bool = False,
) -> Any:
    """Mark a function or method as a tool, with or without options; it stays what it was.

    Direct calls return and raise as before. A `ToolRegistry` or an executor makes the tool: its
    schema comes from the signature, the docstring (Google, NumPy or Sphinx layout) and
    `Annotated` (clause 7.3), unless one is given. A generator function makes a tool too, whose
    calls succeed with a generator that nobody runs (clause 3.7): making it warns (`UserWarning`).

    Args:
        function: The function, method, class method or static method.
        name: The tool's name; the function's when left out.
        description: What the model reads; the docstring up to its first section when left out.
        version: The author's version, part of a durable slot's identity.
        inline: Whether a synchronous body may run on the event loop's own thread (clause 8.12).
        max_parallel: How many calls of the tool may run at once.
        deadline: Seconds or a `timedelta` for one call.
        schema: A JSON Schema (2020-12) of the arguments in place of the derived one: it decides
            alone. Its patterns are those that every language reads alike (clause 7.15).
            Arguments go to the parameters of their names, or to `**kwargs`. The `default` of a
            top property applies where it is absent, None where there is no default at all.
        allow_unknown: Whether arguments that no parameter takes are dropped, not refused.

    >>> @tool
    ... def divide(a: float, b: float) -> float:
    ...     '''Divide one number by another.'''
    ...     return a / b
    >>> divide(1, 4)
    0.25
    """
    if function is None:
        options = ToolOptions(
            name, description, version, inline, max_parallel, deadline, schema, allow_unknown
        ).checked("@tool")
        return lambda marked: _mark(marked, options)
    return _mark(function, ToolOptions())


def _mark(function: Any, options: ToolOptions) -> Any:
    inner = function.__func__ if isinstance(function, (classmethod, staticmethod)) else function
    if not callable(inner) or isinstance(inner, (type, MethodType)):
        raise Misuse(
            f"@tool marks functions and methods where they are defined, not {function!r}; "
            "mark them there, or make the tool with as_tool"
        )
    try:
        setattr(inner, MARK, replace(options, names=local_names(inner)))
    except (AttributeError, TypeError) as error:
        raise Misuse(f"{function!r} cannot be marked; make the tool with as_tool") from error
    return function
