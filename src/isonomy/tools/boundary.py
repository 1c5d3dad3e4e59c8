# SPDX-License-Identifier: Apache-2.0
"""The tool boundary: where what a body raises becomes an outcome.

The two broad `except` clauses here, one for each way to run a body, are the only ones in front of
tools.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from inspect import CO_ITERABLE_COROUTINE
from types import GeneratorType
from typing import Any

from isonomy.contract.capture import raised as outcome_of
from isonomy.contract.capture import sole_leaf
from isonomy.contract.outcome import Outcome, Returned, Settled

Passing = tuple[type[BaseException], ...]
"""Types of exceptions that are no outcome and leave a tool as they were raised (clause 8.10)."""


class Refused(Exception):  # noqa: N818 - it is no error but the way out of a tool's own side
    """Raised by a tool's own side before the body runs; it ends in the outcome it holds."""

    def __init__(self, settled: Settled) -> None:
        super().__init__(settled.error.message)
        self.settled = settled


def run(body: Callable[..., object], passing: Passing = (), *arguments: Any) -> Outcome:
    """Call a body with some arguments and return how that ended (clause 1.1).

    Raises only types in `passing` and, in the main thread, `KeyboardInterrupt`.
    """
    try:
        return Returned(body(*arguments))
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
        return Returned(await outcome.value)
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
    if issubclass(type(leaf), KeyboardInterrupt) and _in_main_thread():
        raise leaf
    return outcome_of(leaf)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
