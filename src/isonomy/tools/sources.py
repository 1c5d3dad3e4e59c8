# SPDX-License-Identifier: Apache-2.0
"""What may be given as tools: tools, callables, instances and modules."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from types import ModuleType
from typing import Any

from isonomy.contract.error import short
from isonomy.contract.misuse import Misuse
from isonomy.tools.options import ToolOptions, options_of
from isonomy.tools.tool import Tool


def as_tool(
    source: Tool | Callable[..., Any],
    *,
    name: str | None = None,
    description: str | None = None,
    version: str | None = None,
    inline: bool = False,
    max_parallel: int | None = None,
    deadline: float | timedelta | None = None,
    schema: Mapping[str, Any] | None = None,
    allow_unknown: bool = False,
) -> Tool:
    """Make a tool of any callable; hand on what is a tool already.

    The options are those of the decorator `isonomy.tool`. A callable that was marked with it keeps
    its own, unless options are given here, which then count alone.

    >>> def add(a: int, b: int = 1) -> int:
    ...     '''Add two numbers.'''
    ...     return a + b
    >>> as_tool(add).description
    'Add two numbers.'

    Raises:
        Misuse: It is not callable, or no tool can be made of it.

    Warns:
        UserWarning: It is a generator function, whose body no call would run (clause 3.7).
    """
    if isinstance(source, Tool):
        return source
    if not callable(source):
        raise Misuse(_no_source(source))
    given = ToolOptions(
        name, description, version, inline, max_parallel, deadline, schema, allow_unknown
    ).checked("as_tool")
    from isonomy.tools.making import make

    return make(source, (options_of(source) or given) if given == ToolOptions() else given)


def tools_of(source: Any) -> Iterator[Tool]:
    """Yield the tools of a source.

    A module gives what it marks with `@tool` or makes as a `Tool`: what `__all__` lists, or else
    what it defines itself. An instance gives its marked methods, those of its bases included.
    Any other callable is one tool.

    Raises:
        Misuse: It gives none.
    """
    if isinstance(source, Tool):
        yield source
    elif isinstance(source, ModuleType):
        yield from _of_module(source)
    elif options_of(source) or inspect.isroutine(source):
        yield as_tool(source)
    else:
        members = list(_marked_members(source))
        if members:
            yield from map(as_tool, members)
        elif callable(source):
            yield as_tool(source)
        else:
            raise Misuse(_no_source(source))


def _no_source(source: Any) -> str:
    """Say why this gives no tools, and what to give instead."""
    if source is None:
        return "a tool is None; give a function (does a decorator of it return nothing?)"
    if isinstance(source, str):
        return f"{short(source)!r} is text and no tool; give the function itself, as in [add]"
    if isinstance(source, list | tuple | set | frozenset | dict):
        kind = type(source).__name__
        return f"a {kind} is no tool; give the tools in it one by one, as in [*more, add]"
    if inspect.iscoroutine(source):
        return f"a call of {source.__qualname__} is no tool; give the function, without ()"
    return f"an instance of {type(source).__qualname__} gives no tools: mark its methods with @tool"


def _of_module(module: ModuleType) -> Iterator[Tool]:
    exported = getattr(module, "__all__", None)
    found: dict[int, Any] = {}
    for key, value in vars(module).items():
        if exported is not None and key not in exported:
            continue
        if isinstance(value, Tool) or (options_of(value) and not isinstance(value, type)):
            home = getattr(value, "__module__", None)
            if exported is not None or isinstance(value, Tool) or home == module.__name__:
                found.setdefault(id(value), value)
    if not found:
        raise Misuse(f"module {module.__name__!r} gives no tools: mark its functions with @tool")
    yield from map(as_tool, found.values())


def _marked_members(source: Any) -> Iterator[Any]:
    """Yield the marked methods of an instance, or those of a class that need no instance."""
    cls = source if isinstance(source, type) else type(source)
    order = [key for base in reversed(cls.__mro__) for key in vars(base)]
    for key in dict.fromkeys(order):
        declared = inspect.getattr_static(cls, key, None)
        inner = getattr(declared, "__func__", declared)
        if options_of(inner) is None:
            continue
        if isinstance(source, type) and declared is inner:
            raise Misuse(
                f"{cls.__qualname__}.{key} needs an instance: give one of {cls.__qualname__}, "
                "not the class"
            )
        yield getattr(source, key)
