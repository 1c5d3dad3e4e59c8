# SPDX-License-Identifier: Apache-2.0
"""F: calls of a batch are isolated, and nothing of it goes on once it has returned."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from isonomy.contract.call import ToolCall
from isonomy.contract.error import ErrorKind
from isonomy.observe.memory import MemorySink
from isonomy.runtime.executor import ToolExecutor
from tests.cases.conftest import Run


class Crowd:
    """Counts the bodies that are inside, and those that ever were."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.inside = 0
        self.began = 0

    def __enter__(self) -> None:
        with self._lock:
            self.inside += 1
            self.began += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self.inside -= 1


@pytest.mark.parametrize("is_async", [False, True])
def test_f8_no_work_is_left_after_a_batch_that_failed_fast(run: Run, is_async: bool) -> None:
    crowd = Crowd()

    def bad() -> None:
        with crowd:
            raise ValueError("the first failure")

    def work() -> str:
        with crowd:
            threading.Event().wait(0.02)
            return "done"

    async def awork() -> str:
        with crowd:
            await asyncio.sleep(0.02)
            return "done"

    memory = MemorySink()
    tools: list[Any] = [bad, awork if is_async else work]
    calls = [ToolCall("bad"), *[ToolCall(tools[1].__name__)] * 12]
    with ToolExecutor(tools, sinks=[memory]) as executor:
        event = run(executor, calls, fail_fast=True)
        assert crowd.inside == 0
        began = crowd.began
        executed = [r for r in event.records if r.execution == "executed"]
        assert began == len(executed)
        # what had begun was finished and is recorded; what had not never begins
        for record in event.records[1:]:
            error = record.response.error
            assert error is None or error.kind is ErrorKind.NOT_RUN
        told = len(memory.events)
        executor.call("bad")  # gives what should not run its chance to
        assert crowd.began == began + 1
        assert len(memory.events) == told + 3


def test_f8_no_task_is_left_in_the_callers_loop() -> None:
    async def bad() -> None:
        raise ValueError("the first failure")

    async def work() -> str:
        await asyncio.sleep(0.02)
        return "done"

    async def main(executor: ToolExecutor) -> set[asyncio.Task[Any]]:
        calls = [ToolCall("bad"), *[ToolCall("work")] * 12]
        await executor.arun(calls, parallel=4, fail_fast=True)
        return asyncio.all_tasks() - {asyncio.current_task()}

    with ToolExecutor([bad, work]) as executor:
        assert asyncio.run(main(executor)) == set()


def test_f2_f10_a_quick_failure_leaves_a_slow_sibling_alone(run: Run) -> None:
    failed = threading.Event()

    def ok() -> str:
        return "ok"

    def bad() -> None:
        failed.set()
        raise ValueError("at once")

    def slow() -> str:
        assert failed.wait(30)
        return "slow"

    with ToolExecutor([ok, bad, slow]) as executor:
        event = run(executor, [ToolCall("ok"), ToolCall("bad"), ToolCall("slow")])
    first, second, third = event.responses
    assert (first.unwrap(), third.unwrap()) == ("ok", "slow")
    assert second.error is not None
    assert second.error.message == "at once"
