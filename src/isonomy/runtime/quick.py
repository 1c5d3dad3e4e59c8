# SPDX-License-Identifier: Apache-2.0
"""The commonest call, without a batch around it.

One synchronous tool, called alone from synchronous code, without a deadline: nothing can end it but
its body and `close`, and nothing else of a batch is needed. The events, the record and the response
are those of a batch of one; the tests run every case through both.
"""

from __future__ import annotations

from contextvars import copy_context
from itertools import count
from time import perf_counter_ns, time_ns
from typing import Any, Final

from isonomy.contract.events import CallRecord, CancelReason, Execution, ExecutionEvent, ResponseEvent
from isonomy.contract.outcome import Outcome
from isonomy.contract.response import ToolResponse
from isonomy.runtime.closed import ExecutorClosed
from isonomy.runtime.funnel import Funnel
from isonomy.runtime.running import Await, Runner, enter_and_invoke, is_pending
from isonomy.runtime.scope import is_nested
from isonomy.tools.registry import ToolRegistry
from isonomy.tools.tool import Invocation, Tool

_new: Final = tuple.__new__
_EXECUTED: Final = Execution.EXECUTED


class Quick:
    """Runs one call in the caller's thread. Safe to use from several threads."""

    def __init__(
        self,
        tools: ToolRegistry,
        funnel: Funnel,
        runner: Runner,
        await_: Await,
    ) -> None:
        self._await = await_
        self._tools = {
            tool.name: tool
            for tool in tools
            if not (tool.is_async or tool.wants_context)
            and tool.deadline is None
            and tool.max_parallel is None
        }
        self._funnel = funnel
        self._emit = funnel.emit
        self._executor = runner.executor
        self._passing = runner.passing
        #: What every invocation is made with, behind its arguments.
        self._rest = (runner.injected, None, runner.limits, runner.passing)
        #: The calls that run, by number, each as its `started` event. Who takes one out ends it.
        self._active: dict[int, ExecutionEvent] = {}
        self._numbers = count()
        self._closed = False

    def call(self, name: str, arguments: Any, call_id: str | None) -> ToolResponse | None:
        """Run the call, or return None where it needs more than this."""
        tool = self._tools.get(name)
        if tool is None or self._closed or not (call_id is None or type(call_id) is str):
            return None
        return self._run(tool, arguments, call_id)

    def _run(self, tool: Tool, arguments: Any, call_id: str | None) -> ToolResponse | None:
        at = time_ns()
        name, server = tool.name, tool.server
        started = _new(
            ExecutionEvent,
            ("started", None, 0, 0, call_id, name, at, server, _EXECUTED, None, None, None, None),
        )
        active = self._active
        number = next(self._numbers)
        active[number] = started
        self._emit(started)
        outcome: Outcome | None = None
        reason: CancelReason = "cancelled"
        invocation = Invocation(arguments, *self._rest)
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
        duration_ns = perf_counter_ns() - before
        duration_us = duration_ns // 1000
        if active.pop(number, None) is None:
            self._funnel.late(name)
            raise ExecutorClosed
        response = self._funnel.response(tool, outcome)
        error = response.error
        record = _new(
            CallRecord,
            (
                0, call_id, name, response, _EXECUTED, 1, at, duration_us,
                tuple(invocation.decoded) if invocation.decoded else (),
            ),
        )  # fmt: skip
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
        """Refuse further calls, and end those in flight as cancelled."""
        self._closed = True
        for number in list(self._active):
            self._cancel(number, "cancelled")
