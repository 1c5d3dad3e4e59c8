# SPDX-License-Identifier: Apache-2.0
"""The tool boundary: where what a body raises becomes an outcome.

The broad `except` clauses here, for what precedes a body and for each way to run it, are the only
ones in front of tools.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from inspect import CO_ITERABLE_COROUTINE
from types import GeneratorType
from typing import Any, TypeVar

from isonomy.contract.capture import raised as outcome_of
from isonomy.contract.capture import returned, sole_leaf
from isonomy.contract.error import Effect, ErrorKind
from isonomy.contract.foreign import type_name
from isonomy.contract.mapping import settled
from isonomy.contract.outcome import Outcome, Returned, Settled

_Call = TypeVar("_Call")
_Arguments = TypeVar("_Arguments")

Passing = tuple[type[BaseException], ...]
"""Types of exceptions that are no outcome and leave a tool as they were raised (clause 8.10)."""


class Refused(Exception):  # noqa: N818 - it is no error but the way out of a tool's own side
    """Raised by a tool's own side before the body runs; it ends in the outcome it holds."""

    def __init__(self, settled: Settled) -> None:
        super().__init__(settled.error.message)
        self.settled = settled


def serve(
    accept: Callable[[_Call], _Arguments],
    body: Callable[[_Arguments, _Call], object],
    passing: Passing,
    call: _Call,
) -> Outcome:
    """Accept the arguments of a call, run a body with them, and return how that ended.

    What breaks while arguments are accepted is a fault of ours and not the body's, which has not
    begun (clauses 3.12 and 4.7). Raises what `run` raises.
    """
    try:
        arguments = accept(call)
    except Refused as refused:
        return refused.settled
    except BaseException as broken:  # whatever breaks, the body has not begun
        if issubclass(type(broken), KeyboardInterrupt) and in_main_thread():
            raise
        message = f"the arguments could not be judged: {type_name(type(broken))}"
        return settled(ErrorKind.INTERNAL, message, Effect.NONE)
    try:
        return returned(body(arguments, call))
    except BaseException as raised:  # noqa: BLE001 - a body may raise anything (clause 3.4)
        return caught(raised, passing)


def run(body: Callable[..., object], passing: Passing = (), *arguments: Any) -> Outcome:
    """Call a body with some arguments and return how that ended (clause 1.1).

    Raises only types in `passing` and, in the main thread, `KeyboardInterrupt`.
    """
    try:
        return returned(body(*arguments))
    except BaseException as raised:  # noqa: BLE001 - a body may raise anything (clause 3.4)
        return caught(raised, passing)


async def finish(outcome: Outcome, passing: Passing = ()) -> Outcome:
    """Await the value of a `Returned` if it is an awaitable, once (clause 3.5); else hand it on.

    Raises what `run` raises, and `asyncio.CancelledError`, which only the runtime can judge.
    """
    if type(outcome) is not Returned or not is_awaitable(outcome.value):
        return outcome
    import asyncio  # here, where it is at hand: it would be a quarter of what a worker imports

    try:
        return returned(await outcome.value)
    except asyncio.CancelledError:
        raise
    except BaseException as raised:  # noqa: BLE001 - a body may raise anything (clause 3.4)
        return caught(raised, passing)


def is_awaitable(value: object) -> bool:
    """Tell whether a value can be awaited, by its type alone: a value may lie about itself."""
    kind = type(value)
    if kind is GeneratorType:
        return bool(value.gi_code.co_flags & CO_ITERABLE_COROUTINE)  # type: ignore[attr-defined]
    return any("__await__" in each.__dict__ for each in kind.__mro__)


def caught(raised: BaseException, passing: Passing = ()) -> Outcome:
    """Return the outcome of a body that raised, or raise again what is none."""
    if type(raised) is Refused:
        return raised.settled
    leaf = sole_leaf(raised)
    # By its type alone: `isinstance` would ask an exception what it calls itself.
    if passing and issubclass(type(leaf), passing):
        raise leaf
    if issubclass(type(leaf), KeyboardInterrupt) and in_main_thread():
        raise leaf
    return outcome_of(leaf)


def in_main_thread() -> bool:
    """Whether a `KeyboardInterrupt` here may be the process's own signal (clause 8.11)."""
    return threading.current_thread() is threading.main_thread()
