# SPDX-License-Identifier: Apache-2.0
"""The tool boundary: where what a body raises becomes an outcome."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import Any

from isonomy.contract.capture import error_info
from isonomy.contract.outcome import Outcome, Raised, Returned
from isonomy.contract.response import ToolFailed

Passing = tuple[type[BaseException], ...]


def run(body: Callable[[], Any], passing: Passing) -> Outcome:
    """Call a body and return how that ended (clause 1.1).

    Raises only types in `passing` and, in the main thread, `KeyboardInterrupt`.
    """
    try:
        return Returned(body())
    except BaseException as raised:  # noqa: BLE001 - a body may raise anything (clause 3.4)
        return caught(raised, passing)


async def finish(outcome: Outcome, passing: Passing) -> Outcome:
    """Await the value of a `Returned` if it is an awaitable, once (clause 3.5); else hand it on.

    Raises what `run` raises, and `asyncio.CancelledError`, which only the runtime can judge.
    """
    if not isinstance(outcome, Returned) or not isawaitable(outcome.value):
        return outcome
    try:
        return Returned(await outcome.value)
    except asyncio.CancelledError:
        raise
    except BaseException as raised:  # noqa: BLE001 - a body may raise anything (clause 3.4)
        return caught(raised, passing)


def caught(raised: BaseException, passing: Passing) -> Outcome:
    """Return the outcome of a body that raised, or raise again what is none."""
    raised = sole_leaf(raised)
    if isinstance(raised, passing):
        raise raised
    if isinstance(raised, KeyboardInterrupt) and _in_main_thread():
        raise raised
    if isinstance(raised, ToolFailed):
        return Returned(raised.response)
    return Raised(error_info(raised))


def sole_leaf(raised: BaseException) -> BaseException:
    """Return the one leaf of an exception group that has just one, else `raised` (clause 3.9)."""
    leaf = raised
    while isinstance(leaf, BaseExceptionGroup):
        if len(leaf.exceptions) != 1:
            return raised
        leaf = leaf.exceptions[0]
    return leaf


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
