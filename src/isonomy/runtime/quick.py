# SPDX-License-Identifier: Apache-2.0
"""The commonest call, without a batch around it.

One tool called alone, where it was called from, without a deadline: nothing can end it but its
body, its caller and `close`, and nothing else of a batch is needed. The events, the record and the response
are those of a batch of one; the tests run every case through both.
"""

from __future__ import annotations

import asyncio
from contextvars import copy_context
from itertools import count
from time import perf_counter_ns, time_ns
from typing import Any, Final

from isonomy.contract.events import CallRecord, CancelReason, Execution, ExecutionEvent, ResponseEvent
from isonomy.contract.outcome import Outcome
from isonomy.contract.response import ToolResponse
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
from isonomy.runtime.scope import is_nested
from isonomy.tools.registry import ToolRegistry
from isonomy.tools.tool import Invocation, Tool

_new: Final = tuple.__new__
_EXECUTED: Final = Execution.EXECUTED


class Quick:
    """Runs one call in the caller's thread or task. Safe to use from several threads."""

    def __init__(
        self,
        tools: ToolRegistry,
        funnel: Funnel,
        runner: Runner,
        await_: Await,
    ) -> None:
        self._await = await_
        simple = [
            tool
            for tool in tools
            if not tool.wants_context and tool.deadline is None and tool.max_parallel is None
        ]
        self._sync = {tool.name: tool for tool in simple if not tool.is_async}
        self._async = {tool.name: tool for tool in simple if tool.is_async}
        self._funnel = funnel
        self._emit = funnel.emit
        self._executor = runner.executor
        self._passing = runner.passing
        #: What every invocation is made with, behind its arguments.
        self._rest = (runner.injected, None, runner.limits, runner.passing)
        #: The calls that run, by number, each as its `started` event. Who takes one out ends it.
        self._active: dict[int, ExecutionEvent] = {}
        #: The tasks that await one of them.
        self._waiting: dict[int, asyncio.Task[Any]] = {}
        self._numbers = count()
        self._closed = False

    def call(self, name: str, arguments: Any, call_id: str | None) -> ToolResponse | None:
        """Run a synchronous tool in this thread; None where the call needs more than this."""
        tool = self._sync.get(name)
        if tool is None or self._closed or not (call_id is None or type(call_id) is str):
            return None
        invocation = Invocation(arguments, *self._rest)
        number, started = self._begin(tool, call_id)
        outcome: Outcome | None = None
        reason: CancelReason = "cancelled"
        before = perf_counter_ns()
        try:
            context = copy_context()
            pending = context.run(enter_and_invoke, self._executor, tool, invocation)
            if is_pending(pending):
                pending = context.run(self._await, pending, is_nested(self._executor))
            outcome = pending
        except self._passing:
            reason = "suspended"
            raise
        finally:
            if outcome is None:
                self._cancel(number, reason)
        return self._end(number, started, tool, outcome, invocation, perf_counter_ns() - before)

    async def acall(self, name: str, arguments: Any, call_id: str | None) -> ToolResponse | None:
        """Run an asynchronous tool in this task; None where the call needs more than this."""
        tool = self._async.get(name)
        if tool is None or self._closed or not (call_id is None or type(call_id) is str):
            return None
        task = asyncio.current_task()
        assert task is not None  # a coroutine of ours runs in a task of asyncio
        invocation = Invocation(arguments, *self._rest)
        number, started = self._begin(tool, call_id)
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
        response = self._end(
            number, started, tool, outcome, invocation, perf_counter_ns() - before
        )
        if task.cancelling() > cancels:
            raise asyncio.CancelledError  # the body swallowed it; its record stands (clause 8.9)
        return response

    def _blame_close(self, number: int, task: asyncio.Task[Any]) -> None:
        """Tell a caller that it was `close` which cancelled it, where nobody else did."""
        if self._closed and number not in self._active and task.uncancel() == 0:
            raise ExecutorClosed from None

    def _begin(self, tool: Tool, call_id: str | None) -> tuple[int, ExecutionEvent]:
        started = _new(
            ExecutionEvent,
            (
                "started", None, 0, 0, call_id, tool.name, time_ns(), tool.server, _EXECUTED,
                None, None, None, None,
            ),
        )  # fmt: skip
        number = next(self._numbers)
        self._active[number] = started
        self._emit(started)
        return number, started

    def _end(
        self,
        number: int,
        started: ExecutionEvent,
        tool: Tool,
        outcome: Outcome,
        invocation: Invocation,
        duration_ns: int,
    ) -> ToolResponse:
        _, _, _, _, call_id, name, at, server, *_ = started
        if self._active.pop(number, None) is None:
            self._funnel.late(name)
            raise ExecutorClosed
        duration_us = duration_ns // 1000
        response = self._funnel.response(tool, outcome)
        error = response.error
        decoded = tuple(invocation.decoded) if invocation.decoded else ()
        record = _new(
            CallRecord, (0, call_id, name, response, _EXECUTED, 1, at, duration_us, decoded)
        )
        self._emit(
            _new(
                ExecutionEvent,
                (
                    "finished" if error is None else "failed", None, 1, 0, call_id, name,
                    at + duration_ns, server, _EXECUTED, 1, duration_us,
                    None if error is None else error.kind, None,
                ),
            )
        )  # fmt: skip
        self._emit(_new(ResponseEvent, (None, (record,))))
        return response

    def _cancel(self, number: int, reason: CancelReason) -> None:
        started = self._active.pop(number, None)
        if started is not None:
            self._emit(started._replace(type="cancelled", seq=1, at_ns=time_ns(), reason=reason))

    def close(self) -> None:
        """Refuse further calls, end those in flight as cancelled, and wake who awaits one."""
        self._closed = True
        for number in list(self._active):
            self._cancel(number, "cancelled")
        for task in list(self._waiting.values()):
            task.get_loop().call_soon_threadsafe(task.cancel)
