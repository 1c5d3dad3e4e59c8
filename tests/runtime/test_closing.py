# SPDX-License-Identifier: Apache-2.0
"""Closing while calls come, run and go, from threads and loops that come and go too (8.14)."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest

from isonomy.contract.call import ToolCall
from isonomy.contract.events import Event
from isonomy.observe.memory import MemorySink
from isonomy.observe.metrics import Metrics
from isonomy.runtime.closed import ExecutorClosed
from isonomy.runtime.executor import ToolExecutor
from isonomy.runtime.loops import LoopThread
from isonomy.runtime.threads import WorkerThreads
from tests.runtime.bodies import Body

HANG = 30


def plain() -> int:
    return 1


async def coroutine() -> int:
    await asyncio.sleep(0)
    return 1


def later() -> Any:
    return coroutine()


@pytest.mark.parametrize("asynchronous", [True, False])
def test_callers_see_only_that_it_is_closed(asynchronous: bool) -> None:
    """Each call has an event loop of its own, which is gone as soon as the call is over."""
    calls = [ToolCall(name) for name in ("plain", "coroutine", "later")]
    ways = [{}, {"parallel": 3}, {"call_deadline": 60}, {"parallel": 2, "deadline": 60}]

    def caller(executor: ToolExecutor, number: int, going: threading.Semaphore) -> BaseException:
        options: dict[str, Any] = ways[number % len(ways)]
        going.release()
        try:
            while True:
                if asynchronous:
                    asyncio.run(executor.arun(calls, **options))
                    asyncio.run(executor.acall("coroutine"))
                else:
                    executor.run(calls, **options)
                    executor.call("later")
        except BaseException as raised:
            return raised

    with ThreadPoolExecutor(4) as others:
        for _ in range(25):
            metrics = Metrics()
            tools = [Body(plain), Body(coroutine), Body(later)]
            executor = ToolExecutor(tools, sinks=[metrics], grace=HANG)
            going = threading.Semaphore(0)
            callers = [others.submit(caller, executor, number, going) for number in range(4)]
            for _ in callers:
                assert going.acquire(timeout=HANG)
            time.sleep(0.002)  # somewhere in the middle of a call, another one in each round
            executor.close()
            ends = [each.result(HANG) for each in callers]
            assert [type(end) for end in ends] == [ExecutorClosed] * 4, ends
            assert metrics.snapshot().in_flight == 0


@pytest.mark.parametrize("alone", [True, False])
def test_close_cancels_nothing_that_its_caller_does_later(alone: bool) -> None:
    def closes() -> None:
        thread = threading.Thread(target=executor.close)
        thread.start()
        thread.join(HANG)

    async def body() -> int:
        closes()  # the loop is blocked meanwhile, so what `close` asks of it comes afterwards
        return 1

    executor = ToolExecutor([Body(body)])

    async def main() -> None:
        task = asyncio.current_task()
        assert task is not None
        with pytest.raises(ExecutorClosed):
            await (executor.acall("body") if alone else executor.arun([ToolCall("body")]))
        for _ in range(5):
            await asyncio.sleep(0)
        assert task.cancelling() == 0

    asyncio.run(main())


@pytest.mark.parametrize("options", [None, {}, {"parallel": 2}, {"call_deadline": 60}])
def test_close_and_the_callers_own_cancellation_are_told_apart(
    options: dict[str, Any] | None,
) -> None:
    async def main(unwinding: bool, cancelled: bool) -> type[BaseException]:
        inside = asyncio.Event()

        async def waits() -> None:
            inside.set()
            await asyncio.sleep(60)

        executor = ToolExecutor([Body(waits)], grace=HANG)

        async def calls() -> type[BaseException]:
            task = asyncio.current_task()
            assert task is not None
            if unwinding:  # a cancellation that was swallowed long ago is none of this call
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await asyncio.sleep(60)
            before = task.cancelling()
            try:
                if options is None:
                    await executor.acall("waits")
                else:
                    await executor.arun([ToolCall("waits")] * 2, **options)
            except BaseException as raised:
                assert task.cancelling() == before + cancelled
                return type(raised)
            raise AssertionError

        task = asyncio.create_task(calls())
        await inside.wait()
        if cancelled:
            task.cancel()
        closing = threading.Thread(target=executor.close)
        closing.start()
        ended = await task
        await asyncio.to_thread(closing.join, HANG)
        return ended

    for unwinding in (False, True):
        assert asyncio.run(main(unwinding, False)) is ExecutorClosed
        assert asyncio.run(main(unwinding, True)) is asyncio.CancelledError


@pytest.mark.parametrize("gone", [True, False])
def test_aclose_needs_none_of_the_threads_of_its_loop(gone: bool) -> None:
    go_on = threading.Event()

    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(1))
        if gone:
            await loop.shutdown_default_executor()
        else:
            loop.run_in_executor(None, go_on.wait, HANG)
        executor = ToolExecutor([Body(plain)])
        assert (await executor.acall("plain")).unwrap() == 1
        await executor.aclose()
        with pytest.raises(ExecutorClosed):
            await executor.acall("plain")
        go_on.set()

    asyncio.run(asyncio.wait_for(main(), HANG))


def test_the_grace_is_for_everything_together() -> None:
    go_on = threading.Event()

    class Hangs:
        def emit(self, event: Event) -> None:
            go_on.wait(60)

    executor = ToolExecutor([Body(plain)], sinks=[Hangs() for _ in range(60)], grace=1)
    executor.call("plain")
    before = time.monotonic()
    executor.close()
    assert time.monotonic() - before < 20
    go_on.set()


def test_a_loop_that_is_gone_does_not_answer() -> None:
    thread = LoopThread("gone")
    thread.stop(HANG)
    thread.join(HANG)
    assert thread.answers() is False
    with pytest.raises(ExecutorClosed):
        thread.submit(coroutine())


def test_helpers_that_come_too_late_keep_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller's thread runs calls, another looks whether it needs help, and is refused any."""
    submit, refused = WorkerThreads.submit, threading.Event()
    submitted: list[Any] = []

    def once(self: WorkerThreads, job: Any, **options: Any) -> None:
        submitted.append(job)
        if len(submitted) > 1:
            refused.set()
            raise ExecutorClosed
        submit(self, job, **options)

    def waits() -> bool:
        return refused.wait(HANG)

    monkeypatch.setattr(WorkerThreads, "submit", once)
    executor = ToolExecutor([Body(waits)])
    event = executor.run([ToolCall("waits")] * 8, parallel=4)
    assert [response.unwrap() for response in event.responses] == [True] * 8
    executor.close()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_caller_whose_loop_is_gone_keeps_no_permit() -> None:
    memory = MemorySink()
    inside, go_on = threading.Event(), threading.Event()

    def slow() -> Any:
        inside.set()
        assert go_on.wait(HANG)
        return coroutine()

    with ToolExecutor([Body(slow, max_parallel=1)], sinks=[memory]) as executor:
        loop = asyncio.new_event_loop()
        task = loop.create_task(executor.acall("slow", deadline=60))
        while not inside.is_set():
            loop.run_until_complete(asyncio.sleep(0.001))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            loop.close()
        go_on.set()
        assert executor.call("slow", deadline=HANG).unwrap() == 1
        assert [event.type for event in memory.executions][:2] == ["started", "cancelled"]
        del task, loop
        gc.collect()
