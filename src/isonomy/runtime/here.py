# SPDX-License-Identifier: Apache-2.0
"""The driver of calls that run where they were called from (clause 8.12).

In the caller's thread or task, without a deadline, a call can be ended by its body, its caller and
`close`, and by nobody else: no thread, no claim and no slot is needed for it. This is the way of
most calls, so it is kept short.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextvars import copy_context
from itertools import count
from time import perf_counter_ns
from typing import Any

from isonomy.contract.call import Arguments
from isonomy.contract.events import CallRecord, CancelReason, ExecutionEvent, Progress
from isonomy.contract.outcome import Outcome
from isonomy.runtime.closed import ExecutorClosed
from isonomy.runtime.funnel import Funnel
from isonomy.runtime.running import (
    Await,
    InContext,
    Runner,
    cancel_from_afar,
    enter_and_invoke,
    is_pending,
    running_task,
    settle,
)
from isonomy.runtime.scope import is_nested
from isonomy.tools.context import ToolContext
from isonomy.tools.tool import Invocation, Tool


class Here:
    """Runs calls in the caller's thread or task. Safe to use from several of them."""

    def __init__(self, funnel: Funnel, runner: Runner, await_: Await) -> None:
        self._funnel = funnel
        self._begin = funnel.begin
        self._end = funnel.end
        self._executor = runner.executor
        self._passing = runner.passing
        self._injected = runner.injected
        self._limits = runner.limits
        self._await = await_
        #: The calls that run, by number: how each started, what numbers its events, and what its
        #: tool knows of it. Whoever takes one out ends it.
        self._active: dict[int, tuple[ExecutionEvent, Iterator[int], Invocation]] = {}
        #: The tasks that await such calls.
        self._waiting: dict[int, asyncio.Task[Any]] = {}
        self._numbers = count()
        self._closed = False

    def run(
        self,
        tool: Tool,
        arguments: Arguments,
        call_id: str | None,
        seq: Iterator[int],
        batch_id: str | None = None,
        position: int = 0,
    ) -> CallRecord:
        """Run one call in this thread and return its record.

        Raises:
            BaseException: What is no outcome (clauses 8.9, 8.10); the call is cancelled then.
            ExecutorClosed: The executor was closed before the body ended.
        """
        if self._closed:
            raise ExecutorClosed
        started = self._begin(tool, batch_id, seq, position, call_id)
        number = next(self._numbers)
        invocation = Invocation(arguments, self._injected, None, self._limits, self._passing)
        self._active[number] = (started, seq, invocation)
        if tool.wants_context:
            invocation.context = self._context(number, started, seq, invocation)
        outcome: Outcome | None = None
        reason: CancelReason = "cancelled"
        before = perf_counter_ns()
        try:
            if self._closed:  # just now: `close` may not have seen this call
                raise ExecutorClosed
            variables = copy_context()
            pending = variables.run(enter_and_invoke, self._executor, tool, invocation)
            if is_pending(pending):
                nested = is_nested(self._executor)
                pending = variables.run(self._await, pending, nested)
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
        return self._end(started, seq, tool, outcome, duration_ns, invocation.decoded)

    async def arun(
        self,
        tool: Tool,
        arguments: Arguments,
        call_id: str | None,
        seq: Iterator[int],
        batch_id: str | None = None,
        position: int = 0,
    ) -> CallRecord:
        """Do what `run` does in this task, which the body may keep waiting."""
        if self._closed:
            raise ExecutorClosed
        task = running_task()
        started = self._begin(tool, batch_id, seq, position, call_id)
        number = next(self._numbers)
        invocation = Invocation(arguments, self._injected, None, self._limits, self._passing)
        self._active[number] = (started, seq, invocation)
        self._waiting[number] = task
        if tool.wants_context:
            invocation.context = self._context(number, started, seq, invocation)
        outcome: Outcome | None = None
        reason: CancelReason = "cancelled"
        cancels = task.cancelling()
        before = perf_counter_ns()
        try:
            if self._closed:  # just now: `close` may not have seen this call
                raise ExecutorClosed
            variables = copy_context()
            pending = variables.run(enter_and_invoke, self._executor, tool, invocation)
            if is_pending(pending):
                pending = await InContext(settle(pending, self._passing, task), variables)
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
        record = self._end(started, seq, tool, outcome, duration_ns, invocation.decoded)
        if task.cancelling() > cancels:
            # The body returned although its caller was cancelled. Its end was told, and the
            # cancellation, which the body swallowed, goes on (clause 8.9).
            raise asyncio.CancelledError
        return record

    def _context(
        self, number: int, started: ExecutionEvent, seq: Iterator[int], invocation: Invocation
    ) -> ToolContext:
        def report(progress: float, total: float | None, message: str | None) -> None:
            if number in self._active:
                self._funnel.progress(started, seq, Progress(progress, total, message))

        return ToolContext(
            started.tool,
            started.call_id,
            is_cancelled=lambda: invocation.cancelled,
            on_cancel=invocation.on_cancel,
            on_progress=report,
        )

    def _blame_close(self, number: int, task: asyncio.Task[Any]) -> None:
        """Tell a caller that it was `close` which cancelled it, where nobody else did."""
        if self._closed and number not in self._active and task.uncancel() == 0:
            raise ExecutorClosed from None

    def _cancel(self, number: int, reason: CancelReason) -> None:
        taken = self._active.pop(number, None)
        if taken is not None:
            started, seq, invocation = taken
            self._funnel.cancelled(started, seq, reason)
            invocation.cancel()

    def abandon(self, seq: Iterator[int]) -> None:
        """End what runs of one batch, known by its numbers, as its caller was interrupted."""
        for number, (_, other, _) in list(self._active.items()):
            if other is seq:
                self._cancel(number, "cancelled")

    def close(self) -> None:
        """Refuse further calls, end those in flight as cancelled, and wake who awaits one."""
        self._closed = True
        for number in list(self._active):
            self._cancel(number, "cancelled")
        for task in list(self._waiting.values()):
            cancel_from_afar(task)
