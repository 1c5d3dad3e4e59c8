# SPDX-License-Identifier: Apache-2.0
"""Bodies that cancel themselves, and bodies that nobody waits for any more (8.8, 8.9, 8.11)."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from isonomy.contract.call import ToolCall
from isonomy.contract.error import ErrorKind
from isonomy.contract.events import ExecutionEvent
from isonomy.observe.memory import MemorySink
from isonomy.runtime.closed import ExecutorClosed
from isonomy.runtime.executor import ToolExecutor
from isonomy.runtime.slot import Slot
from isonomy.tools.context import ToolContext
from tests.runtime.bodies import Body
from tests.runtime.test_deadlines import wait_for_notice
from tests.runtime.test_modes import MODES, run_async, run_sync

BOTH = pytest.mark.parametrize("run", [run_sync, run_async])

#: Here the body runs in the task of its caller, or in one that stands in for it.
IN_THE_CALLERS_TASK = {"async-order", "async-parallel"}


async def gives_up() -> None:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.sleep(0)


def gives_up_later() -> Any:
    return gives_up()


def returning(body: Callable[[], Any]) -> Callable[[], Any]:
    """Give a plain function that returns the coroutine of an asynchronous one."""

    def returns() -> Any:
        return body()

    return returns


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("body", [gives_up, gives_up_later])
def test_a_body_that_cancels_its_task_fails_alone_or_cancels_its_caller(
    mode: str, body: Any
) -> None:
    run, options = MODES[mode]
    memory = MemorySink()
    tools = [Body(body, name="gives_up"), Body(lambda: 1, name="ok")]
    calls = [ToolCall("gives_up"), ToolCall("ok")]
    with ToolExecutor(tools, sinks=[memory]) as executor:
        if mode in IN_THE_CALLERS_TASK and body is gives_up:
            with pytest.raises(asyncio.CancelledError):
                run(executor, calls, **options)
            assert memory.responses == []
            assert [e.type for e in memory.executions if e.position == 0] == [
                "started",
                "cancelled",
            ]
            return
        event = run(executor, calls, **options)
    error = event.responses[0].error
    assert error is not None
    assert (error.kind, error.type) == (ErrorKind.EXCEPTION, "asyncio.exceptions.CancelledError")
    assert event.responses[1].unwrap() == 1


def test_what_a_thread_returned_to_be_awaited_ends_with_its_cancelled_caller() -> None:
    """No task of ours goes on in the caller's loop once the caller got its cancellation."""
    memory = MemorySink()

    async def main() -> None:
        inside = asyncio.Event()

        async def refuses_once() -> str:
            inside.set()
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                await asyncio.sleep(0)
            return "late"

        executor = ToolExecutor([Body(returning(refuses_once), name="refuses")], sinks=[memory])
        task = asyncio.create_task(executor.acall("refuses", deadline=50))
        await inside.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert asyncio.all_tasks() == {asyncio.current_task()}
        executor.close()

    asyncio.run(main())
    assert [event.type for event in memory.executions] == ["started", "cancelled"]


@BOTH
def test_what_is_returned_too_late_to_be_awaited_is_closed_and_counted(run: Any) -> None:
    """No `coroutine was never awaited`: it is a late result like any other."""
    go_on, memory = threading.Event(), MemorySink()
    returned: list[Any] = []

    async def never() -> None:
        raise AssertionError("nobody waits for this")

    def slow() -> Any:
        assert go_on.wait(30)
        returned.append(never())
        return returned[0]

    with ToolExecutor([Body(slow)], sinks=[memory]) as executor:
        event = run(executor, [ToolCall("slow")], call_deadline=0.05)
        go_on.set()
        wait_for_notice(memory)
    assert event.responses[0].error is not None
    assert event.responses[0].error.kind is ErrorKind.TIMEOUT
    assert inspect.getcoroutinestate(returned[0]) == inspect.CORO_CLOSED


class HoldsUp:
    """A sink that holds up the start of a call until somebody ends the call in spite of that."""

    direct = True

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.telling, self._go_on = threading.Event(), threading.Event()
        wait = Slot.wait_until_started

        def ends(slot: Slot) -> bool:
            self._go_on.set()
            return wait(slot)

        monkeypatch.setattr(Slot, "wait_until_started", ends)

    def emit(self, event: Any) -> None:
        if isinstance(event, ExecutionEvent) and event.type == "started":
            self.telling.set()
            assert self._go_on.wait(30)


def test_a_call_that_is_abandoned_while_it_is_told_to_start_is_balanced_and_never_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held, memory, ran = HoldsUp(monkeypatch), MemorySink(), []
    executor = ToolExecutor([Body(lambda: ran.append(1), name="one")], sinks=[held, memory])

    async def main() -> None:
        task = asyncio.create_task(executor.arun([ToolCall("one")], call_deadline=30))
        await asyncio.to_thread(held.telling.wait, 30)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert [event.type for event in memory.executions] == ["started", "cancelled"]

    with executor:
        asyncio.run(main())
    assert ran == []


@BOTH
def test_a_deadline_that_passes_while_a_call_is_told_to_start_ends_it(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, memory, ran = HoldsUp(monkeypatch), MemorySink(), []
    tools = [Body(lambda: ran.append(1), name="one")]
    with ToolExecutor(tools, sinks=[held, memory]) as executor:
        event = run(executor, [ToolCall("one")], call_deadline=0.03)
    error = event.responses[0].error
    assert error is not None
    assert error.kind is ErrorKind.TIMEOUT
    assert [event.type for event in memory.executions] == ["started", "failed"]
    assert ran == []


@BOTH
@pytest.mark.parametrize("raised", [ValueError("odd"), SystemExit(2)])
def test_a_callback_of_on_cancel_that_raises_changes_nothing(
    run: Any, raised: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    told = threading.Event()

    def fails() -> None:
        raise raised

    def waits(context: ToolContext) -> None:
        context.on_cancel(told.set)
        context.on_cancel(fails)
        assert told.wait(30)

    with ToolExecutor([Body(waits), Body(lambda: 1, name="ok")]) as executor:
        event = run(executor, [ToolCall("waits"), ToolCall("ok")], call_deadline=0.05)
    assert event.responses[0].error is not None
    assert event.responses[0].error.kind is ErrorKind.TIMEOUT
    assert event.responses[1].unwrap() == 1
    warned = [record.getMessage() for record in caplog.records if record.name == "isonomy.runtime"]
    assert warned == [f"a callback of on_cancel raised {type(raised).__name__}"]


@pytest.mark.parametrize("refuses", [False, True])
def test_close_wakes_a_caller_whose_body_blocks_its_loop_or_refuses_to_end(refuses: bool) -> None:
    inside, go_on = threading.Event(), threading.Event()
    raised: list[BaseException] = []

    async def body() -> None:
        inside.set()
        while refuses and not go_on.is_set():
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(0.01)
        go_on.wait(30)

    executor = ToolExecutor([Body(returning(body), name="body")], grace=30)

    def call() -> None:
        try:
            executor.call("body")
        except ExecutorClosed as closed:
            raised.append(closed)

    caller, closing = threading.Thread(target=call), threading.Thread(target=executor.close)
    caller.start()
    assert inside.wait(30)
    closing.start()
    caller.join(30)
    assert len(raised) == 1, "the caller waits for its body, which has not ended"
    go_on.set()
    closing.join(30)
    assert not closing.is_alive()


def test_nothing_starts_once_the_executor_is_closed() -> None:
    """Also what is called inside a body, which `close` cannot end."""
    inside, go_on = threading.Event(), threading.Event()
    ran: list[int] = []
    raised: list[BaseException] = []

    async def inner() -> None:
        ran.append(1)

    def outer() -> None:
        inside.set()
        assert go_on.wait(30)
        for options in ({}, {"call_deadline": 30}, {"parallel": 2}):
            try:
                executor.run([ToolCall("inner")] * 2, **options)  # type: ignore[arg-type]
            except ExecutorClosed as closed:
                raised.append(closed)

    memory = MemorySink()
    executor = ToolExecutor([Body(outer), Body(inner)], sinks=[memory], grace=0.1)
    ended = threading.Event()

    def call() -> None:
        with pytest.raises(ExecutorClosed):
            executor.call("outer", deadline=30)
        ended.set()

    threading.Thread(target=call).start()
    assert inside.wait(30)
    executor.close()
    assert ended.wait(30)
    go_on.set()
    wait_for_notice(memory, "outer")
    assert (len(raised), ran) == (3, [])
