# SPDX-License-Identifier: Apache-2.0
"""Permits of tools, and what waiting for one costs a call (8.7, 8.8)."""

from __future__ import annotations

import asyncio
import gc
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from isonomy.contract.call import ToolCall
from isonomy.contract.error import Effect, ErrorKind
from isonomy.contract.events import Execution
from isonomy.observe.memory import MemorySink
from isonomy.observe.metrics import Metrics
from isonomy.runtime.closed import ExecutorClosed
from isonomy.runtime.executor import ToolExecutor
from isonomy.runtime.permits import Permits
from isonomy.tools.context import ToolContext
from tests.runtime.bodies import Body
from tests.runtime.test_modes import Run, check_events, run_async, run_sync

BOTH = pytest.mark.parametrize("run", [run_sync, run_async])
HANG = 30


class Stuck:
    """A tool that is used by one call at a time, the first of which does not end by itself."""

    def __init__(self) -> None:
        self.running, self.go_on = threading.Event(), threading.Event()
        self.tool = Body(self.body, name="stuck", max_parallel=1)

    def body(self) -> str:
        self.running.set()
        assert self.go_on.wait(HANG)
        return "through"


def test_a_permit_goes_to_who_waits_longest_and_wants_it() -> None:
    permits, told = Permits(1), []

    def wants() -> bool:
        told.append("wants")
        return True

    def declines() -> bool:
        told.append("declines")
        return False

    def left() -> bool:
        raise AssertionError

    assert permits.take_or_wait(left)
    assert not any(permits.take_or_wait(waiter) for waiter in (left, declines, wants))
    assert permits.forget(left)
    assert not permits.forget(left)
    permits.release()
    assert told == ["declines", "wants"]
    assert not permits.forget(wants)
    permits.release()
    assert permits.take_or_wait(left), "nobody waits"


@BOTH
def test_waiting_for_a_permit_counts_towards_the_deadline_of_a_call(run: Run) -> None:
    stuck, memory, metrics = Stuck(), MemorySink(), Metrics()
    tools = [stuck.tool, Body(lambda: "ok", name="fine")]
    with ToolExecutor(tools, sinks=[memory, metrics]) as executor, ThreadPoolExecutor(1) as other:
        holder = other.submit(executor.call, "stuck")
        assert stuck.running.wait(HANG)
        memory.clear()
        calls = [ToolCall("stuck"), ToolCall("stuck"), ToolCall("fine")]
        for options in ({}, {"parallel": 2}, {"parallel": 3, "deadline": HANG}):
            memory.clear()
            event = run(executor, calls, call_deadline=0.03, **options)
            for record in event.records[:2]:
                error = record.response.error
                assert error is not None
                assert (error.kind, error.effect) == (ErrorKind.NOT_RUN, Effect.NONE)
                assert error.message == "not started: the deadline passed"
                assert record.execution is Execution.NOT_EXECUTED
            assert event.responses[2].unwrap() == "ok"
            check_events(memory, event)
        many = run(executor, [ToolCall("stuck")] * 20, call_deadline=0.03, parallel=4)
        kinds = {response.error.kind for response in many.responses if response.error}
        assert (len(many.records), kinds) == (20, {ErrorKind.NOT_RUN})
        stuck.go_on.set()
        assert holder.result(HANG).unwrap() == "through"
        assert executor.call("stuck").unwrap() == "through", "nobody who gave up is in the way"
    assert metrics.snapshot().late_results == 0
    assert metrics.snapshot().in_flight == 0


def test_a_tool_that_timed_out_keeps_its_permit_while_its_body_goes_on() -> None:
    stuck = Stuck()
    with ToolExecutor([stuck.tool]) as executor:
        first = executor.call("stuck", deadline=0.05).error
        second = executor.call("stuck", deadline=0.05).error
        assert first is not None
        assert second is not None
        assert (first.kind, second.kind) == (ErrorKind.TIMEOUT, ErrorKind.NOT_RUN)
        stuck.go_on.set()
        assert executor.call("stuck", deadline=HANG).unwrap() == "through"


@BOTH
def test_a_call_that_gets_its_permit_in_time_runs_with_what_is_left(run: Run) -> None:
    async def left(context: ToolContext) -> float | None:
        await asyncio.sleep(0.1)
        return context.remaining()

    with ToolExecutor([Body(left, max_parallel=1)]) as executor:
        event = run(executor, [ToolCall("left")] * 2, parallel=2, call_deadline=HANG)
    first, second = (response.unwrap() for response in event.responses)
    assert HANG - 20 < second < first - 0.09 < HANG


@pytest.mark.parametrize("parallel", [1, 2])
def test_only_in_parallel_are_calls_that_wait_passed_by(parallel: int) -> None:
    stuck, fine = Stuck(), threading.Event()
    order: list[str] = []

    def tells() -> None:
        order.append("fine")
        fine.set()

    tools = [stuck.tool, Body(tells)]
    with ToolExecutor(tools) as executor, ThreadPoolExecutor(2) as others:
        holder = others.submit(executor.call, "stuck")
        assert stuck.running.wait(HANG)
        calls = [ToolCall("stuck"), ToolCall("tells")]
        batch = others.submit(executor.run, calls, parallel=parallel, call_deadline=HANG)
        if parallel == 2:
            assert fine.wait(HANG)
        stuck.running.clear()
        stuck.go_on.set()
        assert holder.result(HANG).is_success
        assert stuck.running.wait(HANG)
        assert all(response.is_success for response in batch.result(HANG).responses)


@BOTH
def test_who_gave_up_leaves_nothing_behind(run: Run) -> None:
    """A stuck tool is asked for again and again: nothing may grow with that."""
    stuck = Stuck()
    with ToolExecutor([stuck.tool]) as executor, ThreadPoolExecutor(1) as other:
        holder = other.submit(executor.call, "stuck")
        assert stuck.running.wait(HANG)

        class Mark:
            pass

        for _ in range(5):
            run(executor, [ToolCall("stuck", {"mark": Mark()})] * 2, call_deadline=0.01, parallel=2)
        gc.collect()
        assert not [each for each in gc.get_objects() if isinstance(each, Mark)]
        stuck.go_on.set()
        holder.result(HANG)


@pytest.mark.parametrize(
    "options", [{}, {"parallel": 2}, {"deadline": HANG}, {"call_deadline": HANG}]
)
@BOTH
def test_close_wakes_who_waits_for_a_permit(run: Run, options: dict[str, Any]) -> None:
    stuck, memory = Stuck(), MemorySink()
    executor = ToolExecutor([stuck.tool], sinks=[memory], grace=0.1)
    with ThreadPoolExecutor(3) as others:
        holder = others.submit(executor.call, "stuck", deadline=HANG)
        assert stuck.running.wait(HANG)
        waits = others.submit(run, executor, [ToolCall("stuck")] * 2, **options)
        permits = executor._permits["stuck"]
        ends = time.monotonic() + HANG
        while not permits._waiters:
            assert time.monotonic() < ends
            time.sleep(0.001)
        executor.close()
        for caller in (holder, waits):
            with pytest.raises(ExecutorClosed):
                caller.result(HANG)
        stuck.go_on.set()
    assert [event.type for event in memory.executions] == ["started", "cancelled"]


@pytest.mark.parametrize("parallel", [1, 3])
def test_ctrl_c_while_waiting_for_a_permit_takes_none_away(parallel: int) -> None:
    stuck = Stuck()
    with ToolExecutor([stuck.tool]) as executor, ThreadPoolExecutor(2) as others:
        holder = others.submit(executor.call, "stuck")
        assert stuck.running.wait(HANG)

        main = threading.get_ident()

        def interrupt() -> None:
            while not executor._permits["stuck"]._waiters:
                time.sleep(0.001)
            signal.pthread_kill(main, signal.SIGINT)

        others.submit(interrupt)
        with pytest.raises(KeyboardInterrupt):
            executor.run([ToolCall("stuck")] * 3, parallel=parallel)
        stuck.go_on.set()
        assert holder.result(HANG).is_success
        assert executor.call("stuck").unwrap() == "through"


MANY = 50_000


@pytest.mark.parametrize("limited", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        {"call_deadline": 3600},
        {"parallel": 8, "deadline": 3600},
        {"parallel": 8},
        {"parallel": MANY, "call_deadline": 3600},
    ],
)
@BOTH
@pytest.mark.slow
def test_many_calls_take_no_longer_each(run: Run, options: dict[str, Any], limited: bool) -> None:
    """Nothing that a call needs may grow with the number of calls beside it."""

    async def body() -> int:
        return 1

    most = {"one": 1, "two": 2} if limited else {"one": None, "two": None}
    tools = [Body(body, name=name, max_parallel=limit) for name, limit in most.items()]
    calls = [ToolCall(name) for name in most] * (MANY // 2)
    with ToolExecutor(tools) as executor:
        before = time.monotonic()
        event = run(executor, calls, **options)
        assert time.monotonic() - before < 120
    assert len(event.records) == MANY
    assert all(response.is_success for response in event.responses)
