# SPDX-License-Identifier: Apache-2.0
"""The driver of calls that run where they were called from (clause 8.12).

In the caller's thread or task, without a deadline, a call can be ended by its body, its caller and
`close`, and by nobody else: no thread, no claim and no slot is needed for it. This is the way of
most calls, so it is kept short.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import copy_context
from itertools import count
from time import perf_counter_ns
from typing import Any

from isonomy.contract.events import CancelReason
from isonomy.contract.outcome import Outcome
from isonomy.runtime.batch import Batch
from isonomy.runtime.closed import ExecutorClosed
from isonomy.runtime.funnel import Funnel
from isonomy.runtime.running import (
    Await,
    InContext,
    Runner,
    enter_and_invoke,
    is_pending,
    settle,
)
from isonomy.tools.context import ToolContext
from isonomy.tools.tool import Invocation, Tool


class _Watch:
    """Whether one call was cancelled, and who wants to know."""

    def __init__(self) -> None:
        self._cancelled = False
        self._callbacks: list[Callable[[], None]] = []

    def is_cancelled(self) -> bool:
        return self._cancelled

    def on_cancel(self, callback: Callable[[], None]) -> None:
        self._callbacks.append(callback)
        if self._cancelled:
            self.cancel()

    def cancel(self) -> None:
        self._cancelled = True
        while self._callbacks:
            self._callbacks.pop()()


class Here:
    """Runs calls in the caller's thread or task. Safe to use from several of them."""

    def __init__(self, funnel: Funnel, runner: Runner, await_: Await) -> None:
        self._funnel = funnel
        self._runner = runner
        self._executor = runner.executor
        self._passing = runner.passing
        self._injected = runner.injected
        self._limits = runner.limits
        self._await = await_
        #: The calls that run, by number. Who takes one out ends it.
        self._active: dict[int, tuple[Batch, int]] = {}
        #: Who is to be told when such a call is cancelled, for those with a context.
        self._watched: dict[int, _Watch] = {}
        #: The tasks that await such calls.
        self._waiting: dict[int, asyncio.Task[Any]] = {}
        self._numbers = count()
        self._closed = False

    def run(self, batch: Batch, position: int, tool: Tool) -> None:
        """Run one call in this thread; its record is in the batch afterwards.

        Raises:
            BaseException: What is no outcome (clauses 8.9, 8.10); the call is cancelled then.
            ExecutorClosed: The executor was closed before the body ended.
        """
        if self._closed:
            raise ExecutorClosed
        number = next(self._numbers)
        self._active[number] = (batch, position)
        started_ns = self._funnel.begin(batch, position, tool)
        invocation = self._invocation(number, batch, position, tool)
        outcome: Outcome | None = None
        reason: CancelReason = "cancelled"
        before = perf_counter_ns()
        try:
            context = copy_context()
            pending = context.run(enter_and_invoke, self._executor, tool, invocation)
            if is_pending(pending):
                pending = context.run(self._await, pending, batch.nested)
            outcome = pending
        except self._passing:
            reason = "suspended"
            raise
        finally:
            if outcome is None:
                self._cancel(number, reason)
        duration_ns = perf_counter_ns() - before
        if self._active.pop(number, None) is None:
            self._funnel.late(tool.name)
            raise ExecutorClosed  # or the caller was interrupted, and this is a helping thread
        if tool.wants_context:
            self._watched.pop(number, None)
        self._funnel.end(
            batch, position, tool, outcome, started_ns, duration_ns, invocation.decoded
        )

    async def arun(self, batch: Batch, position: int, tool: Tool) -> None:
        """Do what `run` does in this task, which the body may keep waiting."""
        if self._closed:
            raise ExecutorClosed
        task = asyncio.current_task()
        assert task is not None  # a coroutine of ours runs in a task of asyncio
        number = next(self._numbers)
        self._active[number] = (batch, position)
        started_ns = self._funnel.begin(batch, position, tool)
        invocation = self._invocation(number, batch, position, tool)
        self._waiting[number] = task
        outcome: Outcome | None = None
        reason: CancelReason = "cancelled"
        cancels = task.cancelling()
        before = perf_counter_ns()
        try:
            context = copy_context()
            pending = context.run(enter_and_invoke, self._executor, tool, invocation)
            if is_pending(pending):
                pending = await InContext(settle(pending, self._passing, task), context)
            outcome = pending
        except self._passing:
            reason = "suspended"
            raise
        except asyncio.CancelledError:
            self._blame_close(number, task)
            raise
        finally:
            del self._waiting[number]
            if outcome is None:
                self._cancel(number, reason)
        duration_ns = perf_counter_ns() - before
        if self._active.pop(number, None) is None:
            self._funnel.late(tool.name)
            raise ExecutorClosed
        if tool.wants_context:
            self._watched.pop(number, None)
        self._funnel.end(
            batch, position, tool, outcome, started_ns, duration_ns, invocation.decoded
        )
        if task.cancelling() > cancels:
            # The body returned although its caller was cancelled. Its record stands, and the
            # cancellation, which the body swallowed, goes on (clause 8.9).
            raise asyncio.CancelledError

    def _invocation(self, number: int, batch: Batch, position: int, tool: Tool) -> Invocation:
        call = batch.calls[position]
        context = self._context(number, batch, position, tool) if tool.wants_context else None
        return Invocation(call.arguments, self._injected, context, self._limits, self._passing)

    def _context(self, number: int, batch: Batch, position: int, tool: Tool) -> ToolContext:
        watch = self._watched[number] = _Watch()

        def report(progress: float, total: float | None, message: str | None) -> None:
            if number in self._active:
                self._funnel.progress(batch, position, progress, total, message)

        return ToolContext(
            tool.name,
            batch.calls[position].call_id,
            is_cancelled=watch.is_cancelled,
            on_cancel=watch.on_cancel,
            on_progress=report,
        )

    def _blame_close(self, number: int, task: asyncio.Task[Any]) -> None:
        """Tell a caller that it was `close` which cancelled it, where nobody else did."""
        if self._closed and number not in self._active and task.uncancel() == 0:
            raise ExecutorClosed from None

    def _cancel(self, number: int, reason: CancelReason) -> None:
        taken = self._active.pop(number, None)
        if taken is not None:
            self._funnel.cancelled(*taken, reason)
        watch = self._watched.pop(number, None)
        if watch is not None:
            watch.cancel()

    def abandon(self, batch: Batch) -> None:
        """End what runs of one batch as cancelled: its caller was interrupted."""
        for number, (other, _) in list(self._active.items()):
            if other is batch:
                self._cancel(number, "cancelled")

    def close(self) -> None:
        """Refuse further calls, end those in flight as cancelled, and wake who awaits one."""
        self._closed = True
        for number in list(self._active):
            self._cancel(number, "cancelled")
        for task in list(self._waiting.values()):
            task.get_loop().call_soon_threadsafe(task.cancel)
