# SPDX-License-Identifier: Apache-2.0
"""The workers of an asynchronous batch end with it, and leave no exception unlooked-at (8.9)."""

from __future__ import annotations

import asyncio
import gc
import logging
from typing import Any

import pytest

from isonomy.contract.call import ToolCall
from isonomy.contract.events import Event
from isonomy.observe.memory import MemorySink
from isonomy.runtime.executor import ToolExecutor
from tests.runtime.bodies import Body


class Pause(BaseException):
    """A framework's signal, as for human approval."""


class Raises:
    direct = True

    def emit(self, event: Event) -> None:
        raise SystemExit(2)


OPTIONS = pytest.mark.parametrize(
    "options", [{"parallel": 3}, {"parallel": 3, "call_deadline": 60}, {"call_deadline": 60}]
)


def check_quiet(caplog: pytest.LogCaptureFixture) -> None:
    gc.collect()
    assert [record.getMessage() for record in caplog.records if record.name == "asyncio"] == []


@OPTIONS
def test_signals_of_several_calls_at_once(
    options: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    async def pauses() -> None:
        await asyncio.sleep(0.01)
        raise Pause

    async def main() -> None:
        executor = ToolExecutor([Body(pauses)], control_signals=[Pause], sinks=[Raises()])
        with pytest.raises(Pause):
            await executor.arun([ToolCall("pauses")] * 4, **options)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        await executor.aclose()

    with caplog.at_level(logging.WARNING):
        asyncio.run(main(), debug=False)
    check_quiet(caplog)


@OPTIONS
@pytest.mark.parametrize("times", [1, 2, 3])
def test_a_caller_that_is_cancelled_again_and_again(
    options: dict[str, Any], times: int, caplog: pytest.LogCaptureFixture
) -> None:
    """Bodies take their time to end; the batch waits for them, and then it is cancelled."""
    memory = MemorySink()

    async def main() -> None:
        inside = asyncio.Event()
        ended: list[int] = []

        async def unwinds() -> None:
            inside.set()
            try:
                await asyncio.sleep(60)
            finally:
                for _ in range(5):
                    try:
                        await asyncio.sleep(0.01)
                    except asyncio.CancelledError:
                        continue
                ended.append(1)
                raise Pause

        executor = ToolExecutor([Body(unwinds)], control_signals=[Pause], sinks=[memory])
        task = asyncio.create_task(executor.arun([ToolCall("unwinds")] * 3, **options))
        await inside.wait()
        for _ in range(times):
            await asyncio.sleep(0.005)
            task.cancel()
        with pytest.raises((asyncio.CancelledError, Pause)):
            await task
        assert len(ended) == options.get("parallel", 1)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        await executor.aclose()

    with caplog.at_level(logging.WARNING):
        asyncio.run(main())
    check_quiet(caplog)
    types = [event.type for event in memory.executions]
    assert types.count("started") == types.count("cancelled") == options.get("parallel", 1)
    assert memory.responses == []


@OPTIONS
def test_a_signal_and_a_cancellation_at_once(
    options: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    async def main() -> None:
        executor: ToolExecutor
        task: asyncio.Task[Any]

        async def pauses() -> None:
            await asyncio.sleep(0)
            task.cancel()
            raise Pause

        executor = ToolExecutor([Body(pauses)], control_signals=[Pause])
        task = asyncio.create_task(executor.arun([ToolCall("pauses")] * 3, **options))
        with pytest.raises((asyncio.CancelledError, Pause)):
            await task
        await executor.aclose()

    asyncio.run(main())
    check_quiet(caplog)
