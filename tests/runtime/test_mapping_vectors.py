# SPDX-License-Identifier: Apache-2.0
"""The vectors of the mapping through the executor, on every path (clauses 1.4, 3 and 3.14)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from isonomy.contract.call import ToolCall
from isonomy.contract.response import ToolResponse
from isonomy.observe.memory import MemorySink
from isonomy.observe.metrics import Metrics
from isonomy.runtime.executor import ToolExecutor
from tests.behaviours import FORMS, Stage
from tests.expected import check_response
from tests.vectors import Case, each

Path = Callable[[ToolExecutor], ToolResponse]

#: A deadline that nothing here reaches.
LONG = 60


def alone(**options: Any) -> Path:
    return lambda executor: executor.call("tool", **options)


def alone_awaited(**options: Any) -> Path:
    return lambda executor: asyncio.run(executor.acall("tool", **options))


def batch(calls: list[str], **options: Any) -> Path:
    return lambda executor: of_tool(
        calls, executor.run([ToolCall(name) for name in calls], **options).responses
    )


def batch_awaited(calls: list[str], **options: Any) -> Path:
    async def run(executor: ToolExecutor) -> ToolResponse:
        event = await executor.arun([ToolCall(name) for name in calls], **options)
        return of_tool(calls, event.responses)

    return lambda executor: asyncio.run(run(executor))


def of_tool(calls: list[str], responses: tuple[ToolResponse, ...]) -> ToolResponse:
    for name, response in zip(calls, responses, strict=True):
        if name == "sibling":
            assert response == ToolResponse.success(1)
    return responses[calls.index("tool")]


BEFORE, AFTER = ["tool", "sibling"], ["sibling", "tool"]

PATHS: dict[str, Path] = {
    "call": alone(),
    "call-deadline": alone(deadline=LONG),
    "acall": alone_awaited(),
    "acall-deadline": alone_awaited(deadline=LONG),
    "in-order": batch(BEFORE),
    "in-order-deadline": batch(AFTER, deadline=LONG),
    "in-order-awaited": batch_awaited(AFTER),
    "in-order-awaited-deadline": batch_awaited(BEFORE, call_deadline=LONG),
    "parallel": batch(AFTER, parallel=2),
    "parallel-deadline": batch(BEFORE, parallel=2, call_deadline=LONG),
    "parallel-awaited": batch_awaited(BEFORE, parallel=2),
    "parallel-awaited-deadline": batch_awaited(AFTER, parallel=2, deadline=LONG),
}


@pytest.mark.parametrize("path", PATHS)
@each("mapping")
def test_mapping(path: str, case: Case) -> None:
    behaviour, expected = case["tool"], case["response"]
    options = case.get("options", {})
    asynchronous = behaviour["do"] == "async"
    forms = ("coroutine", "awaitable") if asynchronous else ("plain", "inline")
    assert {*forms} <= {*FORMS}
    for form in forms:
        if form == "inline" and "awaited" not in path and "acall" not in path:
            continue  # it differs from the plain form on an event loop only
        stage, memory, metrics = Stage(), MemorySink(), Metrics()
        sibling = {"do": "return", "value": 1}
        tools = [stage.tool("tool", behaviour, form), stage.tool("sibling", sibling)]
        with ToolExecutor(tools, sinks=[memory, metrics], **options) as executor:
            check_response(PATHS[path](executor), expected)
        ends = [event.type for event in memory.executions if event.tool == "tool"]
        assert ends == ["started", "finished" if expected["status"] == "success" else "failed"]
        assert metrics.snapshot().in_flight == 0
        assert stage.runs["tool"] == 1
