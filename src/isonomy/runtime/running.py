# SPDX-License-Identifier: Apache-2.0
"""How one body is run: its invocation, its context, and the awaiting of what it returns."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Generator, Mapping
from contextvars import Context
from inspect import CORO_CREATED, getcoroutinestate, iscoroutine
from typing import Any, Final, Generic, TypeVar

from isonomy.contract.misuse import Misuse
from isonomy.contract.outcome import Outcome, Raised, Returned
from isonomy.runtime import scope
from isonomy.tools.boundary import caught, finish, is_awaitable, run
from isonomy.tools.tool import Invocation, Limits, Tool

T = TypeVar("T")

_log = logging.getLogger("isonomy.runtime")

#: Awaits on an event loop what a body returned to synchronous code, and gives how that ended. The
#: second argument tells whether the caller is a body itself (clause 8.7).
Await = Callable[[Outcome, bool], Outcome]

#: Values of these types are no awaitables; looking the type up is cheaper than asking; by
#: its number, since a class may not be hashable.
_PLAIN: Final = frozenset(
    map(id, (str, int, float, bool, type(None), dict, list, tuple, bytes, set))
)


def is_pending(outcome: Outcome) -> bool:
    """Whether the body returned an awaitable (clause 3.5)."""
    if type(outcome) is not Returned:
        return False
    value = outcome.value
    return id(type(value)) not in _PLAIN and is_awaitable(value)


def enter_and_invoke(executor: object, tool: Tool, invocation: Invocation) -> Outcome:
    """Run a synchronous step of a body inside its own copy of the context variables."""
    if not scope.inside.get():
        scope.inside.set((executor,))
    else:
        scope.enter(executor)
    return tool.invoke(invocation)


def running_task() -> asyncio.Task[Any]:
    """The current task.

    Raises:
        Misuse: The caller runs under another framework than asyncio.
    """
    task = asyncio.current_task()
    if task is None:
        raise Misuse("await calls in a task of asyncio; use call(...) or run(...) elsewhere")
    return task


async def settle(
    outcome: Outcome, passing: tuple[type[BaseException], ...], task: asyncio.Task[Any]
) -> Outcome:
    """Await what a body returned in ``task``, the caller's, which is the current one.

    A cancellation is the caller's where the task was asked to cancel, else the tool's own (8.11).
    """
    before = task.cancelling()
    try:
        return await finish(outcome, passing)
    except asyncio.CancelledError as raised:
        if task.cancelling() > before:
            raise
        return caught(raised, passing)


async def settle_apart(
    outcome: Outcome, passing: tuple[type[BaseException], ...], given_up: Callable[[], bool]
) -> Outcome:
    """Await what a body returned in a task of the runtime's own.

    A cancellation is the runtime's where the call was given up, else the tool's own, also where
    the body cancelled its task (8.11).
    """
    try:
        return await finish(outcome, passing)
    except asyncio.CancelledError as raised:
        if given_up():
            raise
        return caught(raised, passing)


def drop(outcome: Outcome) -> bool:
    """Close what a body returned to be awaited, if nobody began to: nobody will.

    True where there was something to close.
    """
    if type(outcome) is Returned:
        value = outcome.value
        if iscoroutine(value) and getcoroutinestate(value) == CORO_CREATED:
            value.close()
            return True
    return False


def tell(callbacks: list[Callable[[], object]]) -> None:
    """Call what waits for a call's cancellation, each once, and log what one of them raises."""
    while callbacks:
        try:
            callback = callbacks.pop()
        except IndexError:  # another thread took the last
            return
        outcome = run(callback)
        if type(outcome) is Raised:
            _log.warning("a callback of on_cancel raised %s", outcome.error.type)


class InContext(Generic[T]):
    """Awaits a coroutine in the current task, its steps run in ``context``.

    A task of its own would copy the context too, and cost ten times as much.
    """

    __slots__ = ("_context", "_coroutine")

    def __init__(self, coroutine: Any, context: Context) -> None:
        self._coroutine = coroutine
        self._context = context

    def __await__(self) -> Generator[Any, Any, T]:
        coroutine, run = self._coroutine, self._context.run
        step: Callable[..., Any] = coroutine.send
        value: Any = None
        while True:
            try:
                waits_for = run(step, value)
            except StopIteration as stop:
                result: T = stop.value
                return result
            try:
                value = yield waits_for
                step = coroutine.send
            except GeneratorExit:
                run(coroutine.close)
                raise
            except BaseException as thrown:  # noqa: BLE001 - handed to the coroutine, not handled
                step, value = coroutine.throw, thrown


class Runner:
    """What every invocation of one executor is made with."""

    def __init__(
        self,
        executor: object,
        injected: Mapping[str, Any],
        limits: Limits,
        passing: tuple[type[BaseException], ...],
    ) -> None:
        self.executor = executor
        self.injected = injected
        self.limits = limits
        #: Exception types that are no outcome (clause 8.10).
        self.passing = passing
