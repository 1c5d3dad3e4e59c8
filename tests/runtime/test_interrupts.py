# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C at the worst of moments leaves every call that started with its end (8.9, 9.2)."""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
from collections import Counter
from typing import Any

import pytest

from isonomy.contract.call import ToolCall
from isonomy.contract.events import Event, ExecutionEvent, Sink
from isonomy.observe.memory import MemorySink
from isonomy.observe.metrics import Metrics
from isonomy.runtime.executor import ToolExecutor
from tests.runtime.bodies import Body


class Presses:
    """A sink that presses Ctrl-C when it sees an event, before or after it took it."""

    direct = True

    def __init__(self, kind: str, position: int = 0) -> None:
        self.kind, self.position = kind, position
        self.pressed = False

    def emit(self, event: Event) -> None:
        if not isinstance(event, ExecutionEvent) or self.pressed:
            return
        if (event.type, event.position) == (self.kind, self.position):
            self.pressed = True
            signal.raise_signal(signal.SIGINT)


def sync() -> int:
    return 1


async def asynchronous() -> int:
    return 1


def run(executor: ToolExecutor, tool: str, how: str) -> Any:
    calls = [ToolCall(tool)] * 3
    if how == "alone":
        return executor.call(tool)
    if how == "batch":
        return executor.run(calls)
    if how == "parallel":
        return executor.run(calls, parallel=2)
    # Not `asyncio.run`, which takes the signal for itself.
    loop = asyncio.new_event_loop()
    try:
        if how == "awaited":
            return loop.run_until_complete(executor.acall(tool))
        return loop.run_until_complete(executor.arun(calls, call_deadline=30))
    finally:
        for task in asyncio.all_tasks(loop):
            task.cancel()
            loop.run_until_complete(asyncio.wait([task]))
        loop.close()


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("kind", ["started", "finished"])
@pytest.mark.parametrize(
    ("how", "tool"),
    [
        ("alone", "sync"),
        ("batch", "sync"),
        ("batch", "asynchronous"),
        ("parallel", "sync"),
        ("awaited", "asynchronous"),
        ("awaited with a deadline", "asynchronous"),
    ],
)
def test_ctrl_c_while_an_event_is_told(first: bool, kind: str, how: str, tool: str) -> None:
    memory, metrics, presses = MemorySink(), Metrics(), Presses(kind)
    others: list[Sink] = [memory, metrics]
    sinks: list[Sink] = [presses, *others] if first else [*others, presses]
    with ToolExecutor([Body(sync), Body(asynchronous)], sinks=sinks) as executor:
        with pytest.raises(KeyboardInterrupt):
            run(executor, tool, how)
        assert presses.pressed
        told = Counter(event.type for event in memory.executions)
        assert told["started"] == told["finished"] + told["cancelled"]
        own = [event.type for event in memory.executions if event.position == 0]
        assert own == ["started", "cancelled" if kind == "started" else "finished"]
        assert memory.responses == []
        assert metrics.snapshot().in_flight == 0
        assert executor.call("sync").unwrap() == 1


OURS = ("isonomy/runtime/here.py", "isonomy/runtime/funnel.py", "isonomy/runtime/emitter.py")


class At:
    """Raises the interrupt at the n-th moment of a call at which a signal may come.

    That is where a function begins, and where a built-in one has returned: the interpreter looks
    for signals there (and where a loop goes back).
    """

    def __init__(self, moment: int) -> None:
        self.left = moment

    def __call__(self, frame: Any, what: str, _: Any) -> None:
        if what in ("call", "c_return") and frame.f_code.co_filename.endswith(OURS):
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # never awaited
@pytest.mark.parametrize("tool", ["sync", "asynchronous"])
def test_ctrl_c_at_each_moment_of_a_call(tool: str) -> None:
    memory, metrics = MemorySink(), Metrics()
    tools = [Body(sync), Body(asynchronous)]
    with ToolExecutor(tools, sinks=[memory, metrics]) as executor:
        seen, moment, at = set(), 0, At(0)
        while at.left <= 0:
            moment += 1
            at = At(moment)
            memory.clear()
            loop = asyncio.new_event_loop()
            sys.setprofile(at)
            try:
                if tool == "sync":
                    executor.call(tool)
                else:
                    loop.run_until_complete(executor.acall(tool))
            except KeyboardInterrupt:
                pass
            finally:
                sys.setprofile(None)
                loop.close()
            told = [event.type for event in memory.executions]
            assert told in ([], ["started", "finished"], ["started", "cancelled"]), moment
            assert metrics.snapshot().in_flight == 0, moment
            seen.add(tuple(told))
    assert (moment > 10, len(seen)) == (True, 3)


def test_a_sink_that_raises_the_interrupt_off_the_main_thread_loses_an_event() -> None:
    class Raises:
        direct = True

        def emit(self, event: Event) -> None:
            raise KeyboardInterrupt

    memory, metrics = MemorySink(), Metrics()
    answers: list[Any] = []
    with ToolExecutor([Body(sync)], sinks=[Raises(), memory, metrics]) as executor:
        other = threading.Thread(target=lambda: answers.append(executor.call("sync").unwrap()))
        other.start()
        other.join(30)
    assert answers == [1]
    assert metrics.snapshot().dropped_events == 3
    assert [event.type for event in memory.executions] == ["started", "finished"]
