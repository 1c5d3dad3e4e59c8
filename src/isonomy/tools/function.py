# SPDX-License-Identifier: Apache-2.0
"""Tools whose body is a Python callable."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any

from isonomy.tools.binding import Binding
from isonomy.tools.judged import JudgedTool
from isonomy.tools.options import ToolOptions
from isonomy.tools.signature import Signature
from isonomy.tools.tool import Invocation
from isonomy.tools.validator import Validator


class FunctionTool(JudgedTool):
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
            validator,
            dict(signature.injected),
            description=description,
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

    def _call(self, arguments: dict[str, Any], invocation: Invocation) -> Any:
        if self._binding is None:
            return self.function(**arguments)
        return self._binding.call(self.function, arguments, invocation)


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
