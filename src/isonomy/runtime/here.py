# SPDX-License-Identifier: Apache-2.0
"""The driver of calls that run where they were called from (clause 8.12).

In the caller's thread or task, without a deadline, a call can be ended by its body, its caller and
`close`, and by nobody else: no thread, no claim and no slot is needed for it. This is the way of
most calls, so it is kept short.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from itertools import count
from time import perf_counter_ns
from typing import Any

from isonomy.contract.call import Arguments
from isonomy.contract.events import CallRecord, CancelReason, ExecutionEvent, Progress
from isonomy.contract.outcome import Outcome
from isonomy.runtime.closed import ExecutorClosed
from isonomy.runtime.deferring import Deferring
from isonomy.runtime.emitter import told_in_spite_of
from isonomy.runtime.funnel import Funnel
from isonomy.runtime.running import (
    Await,
    InContext,
    Runner,
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
        #: The tasks that await such calls, and the numbers of those that `close` cancelled.
        self._waiting: dict[int, asyncio.Task[Any]] = {}
        self._called_off: set[int] = set()
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
        deferring: Deferring | None = None,
    ) -> CallRecord | None:
        """Run one call in this thread and return its record; None where `deferring` keeps it.

        Raises:
            BaseException: What is no outcome (clauses 8.9, 8.10); the call is cancelled then.
            ExecutorClosed: The executor was closed before the body ended.
        """
        if self._closed:
            raise ExecutorClosed
        number, started, invocation = self._open(tool, arguments, call_id, seq, batch_id, position)
        outcome: Outcome | None = None
        reason: CancelReason = "cancelled"
        try:
            before = perf_counter_ns()
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
        try:
            duration_ns = perf_counter_ns() - before
            if self._active.pop(number, None) is None:
                self._funnel.late(tool.name)
                raise ExecutorClosed  # or the caller was interrupted, and this is a helping thread
            if deferring is None:
                return self._end(started, seq, tool, outcome, duration_ns, invocation.decoded)
            end = partial(self._end, started, seq, tool, outcome, duration_ns, invocation.decoded)
            deferring.later(position, tool, outcome, invocation.decoded, duration_ns, end)
        except KeyboardInterrupt as interrupt:
            if self._is_untold(number, invocation, interrupt):
                self._tell_end(started, seq, tool, outcome, before, invocation)
            raise
        return None

    async def arun(
        self,
        tool: Tool,
        arguments: Arguments,
        call_id: str | None,
        seq: Iterator[int],
        batch_id: str | None = None,
        position: int = 0,
        deferring: Deferring | None = None,
    ) -> CallRecord:
        """Do what `run` does in this task, which the body may keep waiting."""
        if self._closed:
            raise ExecutorClosed
        task = running_task()
        cancels = task.cancelling()
        number, started, invocation = self._open(tool, arguments, call_id, seq, batch_id, position)
        self._waiting[number] = task
        outcome: Outcome | None = None
        reason: CancelReason = "cancelled"
        try:
            before = perf_counter_ns()
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
            if self._was_called_off(number, task) and task.cancelling() <= cancels:
                raise ExecutorClosed from None
            raise
        finally:
            del self._waiting[number]
            if outcome is None:
                self._cancel(number, reason)
        record: CallRecord | None = None
        try:
            if self._active.pop(number, None) is None:
                self._funnel.late(tool.name)
            else:
                record = await self._aend(
                    started, seq, tool, outcome, perf_counter_ns() - before, invocation, deferring
                )
        except KeyboardInterrupt as interrupt:
            if self._is_untold(number, invocation, interrupt):
                self._tell_end(started, seq, tool, outcome, before, invocation)
            raise
        self._was_called_off(number, task)
        return _answer(record, cancelled=task.cancelling() > cancels)

    def _open(
        self,
        tool: Tool,
        arguments: Arguments,
        call_id: str | None,
        seq: Iterator[int],
        batch_id: str | None,
        position: int,
    ) -> tuple[int, ExecutionEvent, Invocation]:
        """Tell that a call starts, and note it as one that runs.

        From when its start was told until the caller looks after it, nothing is called: so no
        signal can come between, which would leave it without an end (clause 9.2).
        """
        number = next(self._numbers)
        invocation = Invocation(arguments, self._injected, None, self._limits, self._passing)
        if tool.wants_context:
            invocation.context = self._context(number, tool, call_id, seq, invocation)
        try:
            started = self._begin(tool, batch_id, seq, position, call_id)
        except KeyboardInterrupt as interrupt:
            told = told_in_spite_of(interrupt)
            if isinstance(told, ExecutionEvent):
                self._funnel.cancelled(told, seq, "cancelled")
            raise
        self._active[number] = (started, seq, invocation)
        return number, started, invocation

    async def _aend(
        self,
        started: ExecutionEvent,
        seq: Iterator[int],
        tool: Tool,
        outcome: Outcome,
        duration_ns: int,
        invocation: Invocation,
        deferring: Deferring | None,
    ) -> CallRecord:
        decoded = invocation.decoded
        if deferring is None:
            return self._end(started, seq, tool, outcome, duration_ns, decoded)
        end = partial(self._end, started, seq, tool, outcome, duration_ns, decoded)
        return await deferring.alater(started.position, tool, outcome, decoded, duration_ns, end)

    def _tell_end(
        self,
        started: ExecutionEvent,
        seq: Iterator[int],
        tool: Tool,
        outcome: Outcome,
        before: int,
        invocation: Invocation,
    ) -> CallRecord:
        duration_ns = perf_counter_ns() - before
        return self._end(started, seq, tool, outcome, duration_ns, invocation.decoded)

    def _context(
        self,
        number: int,
        tool: Tool,
        call_id: str | None,
        seq: Iterator[int],
        invocation: Invocation,
    ) -> ToolContext:
        def report(progress: float, total: float | None, message: str | None) -> None:
            running = self._active.get(number)
            if running is not None:
                self._funnel.progress(running[0], seq, Progress(progress, total, message))

        return ToolContext(
            tool.name,
            call_id,
            is_cancelled=lambda: invocation.cancelled,
            on_cancel=invocation.on_cancel,
            on_progress=report,
        )

    def _is_untold(self, number: int, invocation: Invocation, interrupt: KeyboardInterrupt) -> bool:
        """Whether the end of a body is still to be told that Ctrl-C came after (clause 8.9)."""
        if self._active.pop(number, None) is None and invocation.cancelled:
            return False  # it was ended by another
        told = told_in_spite_of(interrupt)
        return not (isinstance(told, ExecutionEvent) and told.type in {"finished", "failed"})

    def _was_called_off(self, number: int, task: asyncio.Task[Any]) -> bool:
        """Whether `close` cancelled the task of a call; that counts no more then."""
        if number not in self._called_off:
            return False
        self._called_off.discard(number)
        task.uncancel()
        return True

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
        for number, task in list(self._waiting.items()):
            with suppress(RuntimeError):  # its loop is closed, and the call ended with it
                task.get_loop().call_soon_threadsafe(self._call_off, number, task)

    def _call_off(self, number: int, task: asyncio.Task[Any]) -> None:
        """Cancel the task of a call that is still awaited, on the task's own loop."""
        if number in self._waiting:
            self._called_off.add(number)
            task.cancel()

    def renew(self) -> None:
        """Forget the calls of other threads: in a forked process they do not run."""
        self._waiting.clear()
        self._called_off.clear()
        if not is_nested(self._executor):  # else this very thread is inside one
            self._active.clear()


def _answer(record: CallRecord | None, *, cancelled: bool) -> CallRecord:
    """The record of an awaited call, unless it was ended by another, or its caller cancelled.

    A body may return although its caller was cancelled. Its end was told, and the cancellation,
    which the body swallowed, goes on (clause 8.9).
    """
    if cancelled:
        raise asyncio.CancelledError
    if record is None:
        raise ExecutorClosed
    return record
