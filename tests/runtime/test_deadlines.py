# SPDX-License-Identifier: Apache-2.0
"""Deadlines: the caller gets its answer in time, whatever the bodies do (CASES H1, H2; 8.8)."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest

from isonomy.contract.call import ToolCall
from isonomy.contract.error import Effect, ErrorKind
from isonomy.contract.events import Execution, Notice, ResponseEvent
from isonomy.contract.misuse import Misuse
from isonomy.observe.memory import MemorySink
from isonomy.observe.metrics import Metrics
from isonomy.runtime.executor import ToolExecutor
from isonomy.tools.context import ToolContext
from isonomy.tools.sources import as_tool
from tests.runtime.bodies import Body
from tests.runtime.test_modes import Run, check_events, run_async, run_sync

BOTH = pytest.mark.parametrize("run", [run_sync, run_async])


class Gate:
    """Bodies that wait until the test lets them go, and say when they have gone."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.ended = threading.Semaphore(0)
        self.cancelled: list[bool] = []

    def body(self, context: ToolContext) -> str:
        self.open.wait(60)
        self.cancelled.append(context.cancelled)
        self.ended.release()
        return "late"


@BOTH
@pytest.mark.parametrize("options", [{"deadline": 0.5}, {"call_deadline": 0.5}])
def test_a_body_that_goes_on_is_timed_out_and_its_late_result_counted(
    run: Run, options: dict[str, Any]
) -> None:
    gate, memory, metrics = Gate(), MemorySink(), Metrics()
    with ToolExecutor([Body(gate.body, name="slow")], sinks=[memory, metrics]) as executor:
        event = run(executor, [ToolCall("slow")], **options)
        error = event.records[0].response.error
        assert error is not None
        assert (error.kind, error.effect) == (ErrorKind.TIMEOUT, Effect.POSSIBLE)
        assert error.message == "the deadline passed while the tool ran"
        assert event.records[0].execution is Execution.EXECUTED
        check_events(memory, event)
        assert metrics.snapshot().late_results == 0
        gate.open.set()
        assert gate.ended.acquire(timeout=30)
        wait_for_notice(memory)
    assert gate.cancelled == [True]
    assert metrics.snapshot().late_results == 1
    assert metrics.snapshot().in_flight == 0
    assert event.records[0].response.error is error


def wait_for_notice(memory: MemorySink, tool: str = "slow") -> None:
    """The body ends before its thread reports: wait for the report, bounded."""
    ends = time.monotonic() + 30
    while Notice("late_result", tool=tool) not in memory.events:
        assert time.monotonic() < ends
        time.sleep(0.001)


@BOTH
def test_fifty_stuck_bodies_are_fifty_timeouts_on_bounded_threads(run: Run) -> None:  # H1
    gate, metrics = Gate(), Metrics()
    before = threading.active_count()
    executor = ToolExecutor([Body(gate.body, name="slow")], sinks=[metrics], max_threads=60)
    with executor:
        event = run(executor, [ToolCall("slow")] * 50, call_deadline=0.5, parallel=10)
        assert {r.error.kind for r in event.responses if r.error} == {ErrorKind.TIMEOUT}
        assert len(event.responses) == 50
        assert threading.active_count() - before <= 61
        gate.open.set()
        for _ in range(50):
            assert gate.ended.acquire(timeout=30)
    ends = time.monotonic() + 30
    while metrics.snapshot().late_results < 50:
        assert time.monotonic() < ends
        time.sleep(0.001)


@BOTH
def test_a_call_that_gets_no_thread_by_its_deadline_never_ran(run: Run) -> None:
    gate, memory = Gate(), MemorySink()
    with ToolExecutor([Body(gate.body, name="slow")], max_threads=2, sinks=[memory]) as executor:
        event = run(executor, [ToolCall("slow")] * 3, call_deadline=0.5)
        gate.open.set()
    kinds = [r.error.kind for r in event.responses if r.error]
    assert kinds == [ErrorKind.TIMEOUT, ErrorKind.TIMEOUT, ErrorKind.NOT_RUN]
    last = event.records[2]
    assert last.execution is Execution.NOT_EXECUTED
    assert last.response.error is not None
    assert last.response.error.effect is Effect.NONE
    assert last.response.error.message == "not started: the deadline passed"
    check_events(memory, event)


@BOTH
def test_a_batch_deadline_ends_what_runs_and_what_waits(run: Run) -> None:
    gate, memory = Gate(), MemorySink()
    tools = [Body(gate.body, name="slow"), Body(lambda: 1, name="quick")]
    calls = [ToolCall("quick"), ToolCall("slow"), ToolCall("quick"), ToolCall("nope")]
    with ToolExecutor(tools, sinks=[memory]) as executor:
        event = run(executor, calls, deadline=0.7)
        gate.open.set()
    kinds = [None if r.error is None else r.error.kind for r in event.responses]
    assert kinds == [None, ErrorKind.TIMEOUT, ErrorKind.NOT_RUN, ErrorKind.NOT_RUN]
    check_events(memory, event)


@BOTH
def test_the_caller_returns_at_the_deadline(run: Run) -> None:  # H2
    def blocks() -> None:
        time.sleep(10)

    with ToolExecutor([Body(blocks)]) as executor:
        before = time.monotonic()
        run(executor, [ToolCall("blocks")], call_deadline=0.3)
        assert time.monotonic() - before < 1.0


def test_a_sync_caller_returns_also_where_an_async_body_blocks_its_loop() -> None:
    go_on = threading.Event()

    async def blocks() -> None:
        go_on.wait(60)

    async def fine() -> int:
        return 1

    with ToolExecutor([Body(blocks), Body(fine)], grace=0.1) as executor:
        blocked = executor.call("blocks", deadline=0.5)
        assert blocked.error is not None
        assert blocked.error.kind is ErrorKind.TIMEOUT
        assert executor.call("fine").unwrap() == 1
        assert executor.call("fine", deadline=30).unwrap() == 1
        go_on.set()


@BOTH
def test_an_async_body_is_cancelled_at_its_deadline(run: Run) -> None:
    seen: list[str] = []

    async def sleeps() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    async def after() -> str:
        await asyncio.sleep(0)  # the loop has run the cancelled body by now
        return "after"

    memory = MemorySink()
    with ToolExecutor([Body(sleeps), Body(after)], sinks=[memory]) as executor:
        event = run(executor, [ToolCall("sleeps"), ToolCall("after")], call_deadline=0.5)
    assert event.responses[0].error is not None
    assert event.responses[0].error.kind is ErrorKind.TIMEOUT
    assert event.responses[1].unwrap() == "after"
    assert seen == ["cancelled"]
    check_events(memory, event)


@BOTH
def test_an_async_body_that_refuses_to_be_cancelled_cannot_hold_its_caller(run: Run) -> None:
    async def stubborn() -> str:
        for _ in range(3):
            try:
                await asyncio.sleep(0.4)
            except asyncio.CancelledError:
                continue
        return "late"

    async def longer() -> None:
        await asyncio.sleep(3)

    memory = MemorySink()
    tools = [Body(stubborn, name="slow"), Body(longer)]
    with ToolExecutor(tools, sinks=[memory]) as executor:
        event = run(
            executor, [ToolCall("slow"), ToolCall("longer")], deadline=30, call_deadline=0.5
        )
        kinds = [r.error.kind for r in event.responses if r.error]
        assert kinds == [ErrorKind.TIMEOUT, ErrorKind.TIMEOUT]
        if run is run_sync:
            wait_for_notice(memory)
    check_executions(memory, event)


def check_executions(memory: MemorySink, event: ResponseEvent) -> None:
    started = [e for e in memory.executions if e.type == "started"]
    assert len(started) == len(event.records)
    assert len(memory.executions) == 2 * len(started)


@BOTH
def test_a_deadline_leaves_fast_calls_alone(run: Run) -> None:
    with ToolExecutor([Body(lambda n: n, name="echo")]) as executor:
        calls = [ToolCall("echo", {"n": n}) for n in range(20)]
        event = run(executor, calls, deadline=30, call_deadline=30, parallel=3)
    assert [r.unwrap() for r in event.responses] == list(range(20))


@BOTH
def test_a_tool_has_a_deadline_of_its_own_and_the_shorter_one_holds(run: Run) -> None:
    gate = Gate()
    with ToolExecutor([Body(gate.body, name="slow", deadline=0.5)]) as executor:
        for options in ({}, {"call_deadline": 30}):
            event = run(executor, [ToolCall("slow")], **options)
            assert event.responses[0].error is not None
            assert event.responses[0].error.kind is ErrorKind.TIMEOUT
        gate.open.set()


@BOTH
def test_remaining_time_is_told(run: Run) -> None:
    def left(context: ToolContext) -> float | None:
        return context.remaining()

    with ToolExecutor([Body(left)]) as executor:
        remaining = run(executor, [ToolCall("left")], call_deadline=30).responses[0].unwrap()
        assert 25 < remaining <= 30
        assert run(executor, [ToolCall("left")]).responses[0].unwrap() is None


@BOTH
def test_on_cancel_is_called_once_when_the_deadline_passes(run: Run) -> None:
    told: list[str] = []
    go_on = threading.Event()

    def waits(context: ToolContext) -> None:
        context.on_cancel(lambda: told.append("told"))
        context.on_cancel(go_on.set)
        assert go_on.wait(30)

    with ToolExecutor([Body(waits)]) as executor:
        run(executor, [ToolCall("waits")], call_deadline=0.5)
        assert go_on.wait(30)
    assert told == ["told"]


def test_a_deadline_of_any_length_is_one() -> None:
    executor = ToolExecutor([as_tool(lambda: 1, name="one")])
    assert executor.call("one", deadline=10**400).unwrap() == 1


@pytest.mark.parametrize("deadline", [float("nan"), float("inf"), -(10**400), 0])
def test_a_deadline_that_is_none_is_misuse(deadline: float) -> None:
    executor = ToolExecutor([as_tool(lambda: 1, name="one")])
    with pytest.raises(Misuse, match="positive number of seconds"):
        executor.call("one", deadline=deadline)


async def test_what_is_no_name_is_misuse() -> None:
    executor = ToolExecutor([as_tool(lambda: 1, name="one")])
    given: Any = ["one"]
    with pytest.raises(Misuse, match="`tool` of a call is a name, not list"):
        executor.call(given)
    with pytest.raises(Misuse, match="`tool` of a call is a name, not list"):
        await executor.acall(given)
