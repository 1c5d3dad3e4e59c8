# SPDX-License-Identifier: Apache-2.0
"""H: nobody waits longer than they said, and a cancellation is no outcome."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest

from isonomy.contract.call import ToolCall
from isonomy.contract.error import Effect, ErrorKind
from isonomy.contract.events import Notice
from isonomy.observe.memory import MemorySink
from isonomy.observe.metrics import Metrics
from isonomy.runtime.executor import ToolExecutor
from tests.cases.conftest import Run
from tests.runtime.test_modes import run_async, run_sync


@pytest.mark.parametrize("entry", [run_sync, run_async])
def test_h1_bodies_that_outlive_their_deadline_are_bounded_and_counted(entry: Run) -> None:
    release = threading.Event()
    ended = threading.Semaphore(0)

    class Late:
        direct = True

        def emit(self, event: object) -> None:
            if isinstance(event, Notice) and event.what == "late_result":
                ended.release()

    def stuck() -> str:
        assert release.wait(60)
        return "late"

    metrics = Metrics()
    before = threading.active_count()
    with ToolExecutor([stuck], sinks=[metrics, Late()], max_threads=50) as executor:
        began = time.monotonic()
        event = entry(executor, [ToolCall("stuck")] * 50, parallel=50, call_deadline=0.5)
        assert time.monotonic() - began < 30
        assert threading.active_count() - before <= 50 + 2  # and a loop, at most
        errors = [response.error for response in event.responses]
        assert {(e.kind, e.effect) for e in errors if e} == {(ErrorKind.TIMEOUT, Effect.POSSIBLE)}
        release.set()
        for _ in range(50):
            assert ended.acquire(timeout=60)
    counted = metrics.snapshot()
    assert counted.late_results == 50
    assert counted.count("stuck", "failure") == 50
    assert counted.count("stuck", "success") == 0
    assert counted.in_flight == 0


class StopSignal(Exception):  # noqa: N818 - it is no error
    """What a host's framework raises to stop; an ordinary exception class."""


@pytest.mark.parametrize("entry", [run_sync, run_async])
@pytest.mark.parametrize("options", [{}, {"call_deadline": 30}])
def test_h4_a_signal_of_an_ordinary_class_starts_nothing_more(
    entry: Run, options: dict[str, Any]
) -> None:
    ran: list[int] = []

    def work(n: int) -> int:
        ran.append(n)
        if n == 1:
            raise StopSignal
        return n

    memory = MemorySink()
    calls = [ToolCall("work", {"n": n}) for n in (1, 2, 3)]
    executor = ToolExecutor([work], sinks=[memory], control_signals=[StopSignal])
    with executor, pytest.raises(StopSignal):
        entry(executor, calls, **options)
    assert ran == [1]
    assert [(e.type, e.position) for e in memory.executions] == [("started", 0), ("cancelled", 0)]
    assert memory.responses == []


def test_h4_a_cancelled_task_starts_nothing_more() -> None:
    ran: list[int] = []
    memory = MemorySink()

    async def main() -> None:
        inside = asyncio.Event()

        async def work(n: int) -> int:
            ran.append(n)
            inside.set()
            await asyncio.sleep(60)
            return n

        with ToolExecutor([work], sinks=[memory]) as executor:
            calls = [ToolCall("work", {"n": n}) for n in (1, 2, 3)]
            batch = asyncio.create_task(executor.arun(calls))
            await inside.wait()
            batch.cancel()
            with pytest.raises(asyncio.CancelledError):
                await batch

    asyncio.run(main())
    assert ran == [1]
    assert [(e.type, e.position) for e in memory.executions] == [("started", 0), ("cancelled", 0)]
    assert memory.responses == []
