# SPDX-License-Identifier: Apache-2.0
"""What a tool is to the runtime, whatever it is written in."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from types import MappingProxyType
from typing import Any, Self

from isonomy.contract.misuse import Misuse
from isonomy.contract.outcome import Outcome
from isonomy.tools.amounts import limit, seconds
from isonomy.tools.boundary import finish
from isonomy.tools.context import ToolContext
from isonomy.tools.injection import Injected

NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Limits:
    """What the runtime allows a result, handed on to callees that encode it (clause 5.29).

    A tool in this process leaves both checks to the runtime.

    Args:
        max_result_bytes: The most bytes that the encoding of a result may take.
        strict_values: Whether a value without a portable form fails the call.
    """

    max_result_bytes: int = 16 * 1024 * 1024
    strict_values: bool = False


DEFAULT_LIMITS = Limits()


class Invocation:
    """One call on its way into one tool: what the tool needs to know, and what it leaves behind.

    Made by the runtime for each attempt and used once.

    Args:
        arguments: The call's arguments as they came (clause 7.1): an object, JSON text, or None.
            The tool parses and validates them on its own side and changes none of them.
        injected: The host's values by their host names (clause 7.13).
        context: The call's context; None is enough where `Tool.wants_context` is false.
        limits: What the result may be.
        passing: Types of exceptions that are no outcome: the registered control signals (clause
            8.10). They leave the tool as they were raised.
    """

    __slots__ = (
        "_callbacks", "arguments", "cancelled", "context", "decoded", "injected", "limits",
        "passing",
    )  # fmt: skip

    def __init__(
        self,
        arguments: Mapping[str, Any] | str | bytes | None = None,
        injected: Mapping[str, Any] = NOTHING,
        context: ToolContext | None = None,
        limits: Limits = DEFAULT_LIMITS,
        passing: tuple[type[BaseException], ...] = (),
    ) -> None:
        self.arguments = arguments
        self.injected = injected
        self.context = context
        self.limits = limits
        self.passing = passing
        #: Paths of the parameters that were decoded from JSON text (clause 7.6), set by the tool.
        self.decoded: Sequence[str] = ()
        #: Whether nobody waits for this call any more.
        self.cancelled = False
        self._callbacks: list[Callable[[], object]] | None = None

    def on_cancel(self, callback: Callable[[], object]) -> None:
        """Have `callback` called once when the runtime cancels this call; at once if it has."""
        if self._callbacks is None:
            self._callbacks = []
        self._callbacks.append(callback)
        if self.cancelled:
            self.cancel()

    def cancel(self) -> None:
        """Say that nobody waits for this call any more; the runtime does, from any thread."""
        self.cancelled = True
        while self._callbacks:
            self._callbacks.pop()()


class Tool(ABC):
    """Something that can be called by name; the base of tools of every language.

    A tool is immutable once made and may be invoked from several threads and event loops at once.

    Args:
        name: The name calls use; not empty.
        description: What the tool does, for the model.
        input_schema: JSON Schema (2020-12) of the arguments, an object schema.
        injected: The injected parameters by parameter name, each with its host name filled in.
        version: The author's version, part of a durable slot's identity.
        max_parallel: How many calls of this tool may run at once; None for no limit of its own.
        deadline: Seconds or a `timedelta` for one call; None for none.
        language: Where the body runs: `python`, `java`, `mcp`.
        server: The server it belongs to, for metrics.
        is_async: Whether the body is a coroutine function, which an event loop must run.
        inline: Whether a synchronous body may run on the event loop's own thread (clause 8.12).
        wants_context: Whether the body takes a `ToolContext`.
    """

    #: Whether the tool itself keeps results within `Invocation.limits`, as a bridge's callee does.
    checks_results: bool = False

    #: Where the runtime keeps how calls end, in a copy that it makes for one batch.
    durable: Any = None

    #: Names of the host's values without which a call fails: of injected parameters, those that
    #: have no default (clause 7.13).
    needs: frozenset[str]

    def __init__(
        self,
        name: str,
        *,
        description: str = "",
        input_schema: Mapping[str, Any] = NOTHING,
        injected: Mapping[str, Injected] = NOTHING,
        version: str | None = None,
        max_parallel: int | None = None,
        deadline: float | timedelta | None = None,
        language: str = "python",
        server: str | None = None,
        is_async: bool = False,
        inline: bool = False,
        wants_context: bool = True,
    ) -> None:
        given: Any = name
        if not isinstance(given, str) or not name.strip():
            raise Misuse(f"a tool's name is a text that is not blank, got {name!r}; give it one")
        self.name = name
        self.description = description
        self.input_schema = input_schema
        self.injected = injected
        self.needs = frozenset(str(mark.name) for mark in injected.values())
        self.version = version
        self.max_parallel = (
            None if max_parallel is None else limit(f"tool {name!r}: max_parallel", max_parallel)
        )
        self.deadline = seconds(f"tool {name!r}: deadline", deadline)
        self.language = language
        self.server = server
        self.is_async = is_async
        self.inline = inline
        self.wants_context = wants_context

    @abstractmethod
    def invoke(self, invocation: Invocation) -> Outcome:
        """Validate the arguments, run the body, and return how that ended (clause 1.1).

        Runs in the calling thread. Raises only what is no outcome: types in
        `invocation.passing`, and `KeyboardInterrupt` in the main thread (clauses 8.9 to 8.11).

        The value of a `Returned` may be an awaitable, always so where `is_async`: the runtime
        hands that outcome to `isonomy.tools.boundary.finish`, on an event loop, once.
        """

    async def ainvoke(self, invocation: Invocation) -> Outcome:
        """Do what `invoke` does and await an awaitable it returned, once (clause 3.5).

        A synchronous body runs on the event loop's thread. `asyncio.CancelledError` passes too:
        only the runtime knows whether the caller, the deadline or the body itself cancelled
        (clause 8.11).
        """
        return await finish(self.invoke(invocation), invocation.passing)

    def named(self, name: str) -> Self:
        """Give the same tool under another name, as a host calls it then."""
        other = copy.copy(self)
        other.name = name
        return other

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"
