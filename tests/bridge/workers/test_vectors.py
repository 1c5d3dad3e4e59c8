# SPDX-License-Identifier: Apache-2.0
"""The vectors of the mapping, with Python tools in workers: no path changes a response (3.14)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator

import pytest
from tests.bridge.workers.conftest import HERE
from tests.expected import check_response
from tests.vectors import Case, each

from isonomy.bridge.workers.python_workers import WorkerTools, python_tools
from isonomy.contract.call import ToolCall
from isonomy.contract.response import ToolResponse
from isonomy.runtime.executor import ToolExecutor


@pytest.fixture(scope="module")
def behaving() -> Iterator[WorkerTools]:
    """Workers with the tool that behaves."""
    with python_tools("behaving_tools", path=[HERE], workers=2) as tools:
        yield tools


def _alone(executor: ToolExecutor, call: ToolCall) -> list[ToolResponse]:
    return [executor.call(call.tool, call.arguments)]


def _with_deadline(executor: ToolExecutor, call: ToolCall) -> list[ToolResponse]:
    return [executor.call(call.tool, call.arguments, deadline=60)]


def _in_order(executor: ToolExecutor, call: ToolCall) -> list[ToolResponse]:
    return list(executor.run([call, call]).responses)


def _in_parallel(executor: ToolExecutor, call: ToolCall) -> list[ToolResponse]:
    return list(executor.run([call] * 4, parallel=4).responses)


def _from_async(executor: ToolExecutor, call: ToolCall) -> list[ToolResponse]:
    return list(asyncio.run(executor.arun([call, call], parallel=2)).responses)


PATHS: tuple[Callable[[ToolExecutor, ToolCall], list[ToolResponse]], ...] = (
    _alone,
    _with_deadline,
    _in_order,
    _in_parallel,
    _from_async,
)


@each("mapping")
def test_mapping(behaving: WorkerTools, case: Case) -> None:
    forms = ("coroutine", "awaitable") if case["tool"]["do"] == "async" else ("plain",)
    with ToolExecutor(behaving, **case.get("options", {})) as executor:
        for form in forms:
            call = ToolCall("behave", {"tool": json.dumps(case["tool"]), "form": form})
            for path in PATHS:
                for response in path(executor, call):
                    check_response(response, case["response"])
