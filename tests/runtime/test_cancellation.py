# SPDX-License-Identifier: Apache-2.0
"""The caller's cancellation propagates and is never a response (CASES H4, F8, G2; 8.9 to 8.11)."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from isonomy.contract.call import ToolCall
from isonomy.contract.error import ErrorKind
from isonomy.contract.events import ExecutionEvent, ResponseEvent
from isonomy.observe.memory import MemorySink
from isonomy.observe.metrics import Metrics
from isonomy.runtime.closed import ExecutorClosed
from isonomy.runtime.executor import ToolExecutor
from isonomy.tools.context import ToolContext
from tests.runtime.bodies import Body
from tests.runtime.test_modes import MODES, run_async, run_sync

OPTIONS = pytest.mark.parametrize(
    "options", [{}, {"call_deadline": 30}, {"parallel": 2}, {"parallel": 2, "deadline": 30}]
)


def balance(memory: MemorySink) -> Counter[str]:
    return Counter(event.type for event in memory.executions)


@OPTIONS
def test_cancelling_the_task_cancels_what_runs_and_starts_no_more(
    options: dict[str, float],
) -> None:
    memory = MemorySink()

    async def main() -> None:
        inside = asyncio.Event()
        ended: list[str] = []

        async def waits() -> None:
            inside.set()
            try:
                await asyncio.sleep(60)
            finally:
                ended.append("ended")

        executor = ToolExecutor([Body(waits)], sinks=[memory])
        calls = [ToolCall("waits")] * 5
        task = asyncio.create_task(executor.arun(calls, **options))  # type: ignore[arg-type]
        await inside.wait()
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        started = balance(memory)["started"]
        assert ended == ["ended"] * started
        assert [t for t in asyncio.all_tasks() if t is not asyncio.current_task()] == []
        executor.close()

    asyncio.run(main())
    counts = balance(memory)
    assert 1 <= counts["started"] <= options.get("parallel", 1)
    assert counts == {"started": counts["started"], "cancelled": counts["started"]}
    assert memory.responses == []


@OPTIONS
def test_cancelling_while_a_sync_body_runs_on_a_thread(options: dict[str, float]) -> None:
    memory, metrics = MemorySink(), Metrics()
    inside, go_on, seen = threading.Event(), threading.Event(), []

    def blocks(context: ToolContext) -> str:
        inside.set()
        assert go_on.wait(30)
        seen.append(context.cancelled)
        return "late"

    async def main() -> None:
        executor = ToolExecutor([Body(blocks)], sinks=[memory, metrics])
        calls = [ToolCall("blocks")]
        task = asyncio.create_task(executor.arun(calls, **options))  # type: ignore[arg-type]
        await asyncio.to_thread(inside.wait, 30)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert balance(memory) == {"started": 1, "cancelled": 1}
        go_on.set()
        while metrics.snapshot().late_results == 0:  # noqa: ASYNC110 - a count, not an event
            await asyncio.sleep(0.001)
        executor.close()

    asyncio.run(asyncio.wait_for(main(), 60))
    assert seen == [True]
    assert memory.responses == []
    assert metrics.snapshot().in_flight == 0


@pytest.mark.parametrize("alone", [True, False])
def test_a_body_that_swallows_its_callers_cancellation_keeps_its_record(alone: bool) -> None:
    memory = MemorySink()

    async def main() -> None:
        inside = asyncio.Event()

        async def swallows() -> str:
            inside.set()
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                return "finished all the same"
            return "never"

        executor = ToolExecutor([Body(swallows)], sinks=[memory])
        calls = [ToolCall("swallows")] * 2
        running = executor.acall("swallows") if alone else executor.arun(calls)
        task = asyncio.create_task(running)
        await inside.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        executor.close()

    asyncio.run(main())
    assert balance(memory) == {"started": 1, "finished": 1}


def test_a_body_that_cancels_itself_inside_a_cancelled_cleanup_is_a_failure() -> None:
    """Tools called while the task unwinds: its earlier cancellation is not theirs."""

    async def cancels_itself() -> None:
        raise asyncio.CancelledError

    async def main() -> ResponseEvent:
        executor = ToolExecutor([Body(cancels_itself)])

        async def unwinds() -> ResponseEvent:
            try:
                await asyncio.sleep(60)
            finally:
                event = await executor.arun([ToolCall("cancels_itself")])
            return event

        async def keeps() -> ResponseEvent:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                return await executor.arun([ToolCall("cancels_itself")])
            raise AssertionError

        task = asyncio.create_task(keeps())
        await asyncio.sleep(0)
        task.cancel()
        event = await task
        executor.close()
        return event

    error = asyncio.run(main()).responses[0].error
    assert error is not None
    assert error.kind is ErrorKind.EXCEPTION


class Pause(BaseException):
    """A framework's signal, as for human approval."""


class Suspend(Exception):  # noqa: N818 - a signal, no error
    """Another, an ordinary exception class."""


@pytest.mark.parametrize("signal_type", [Pause, Suspend])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("is_async", [False, True])
def test_control_signals_propagate_and_are_no_failure(
    signal_type: type[BaseException], mode: str, is_async: bool
) -> None:
    run, options = MODES[mode]

    def pauses() -> None:
        raise signal_type("approve?")

    async def apauses() -> None:
        await asyncio.sleep(0)
        raise signal_type("approve?")

    memory = MemorySink()
    tools = [Body(apauses if is_async else pauses, name="pauses"), Body(lambda: 1, name="ok")]
    with ToolExecutor(tools, sinks=[memory], control_signals=[Pause, Suspend]) as executor:
        calls = [ToolCall("pauses"), *[ToolCall("ok")] * 3]
        with pytest.raises(signal_type, match="approve"):
            run(executor, calls, **options)
    own = [e for e in memory.executions if e.position == 0]
    assert [(e.type, e.reason) for e in own] == [("started", None), ("cancelled", "suspended")]
    counts = balance(memory)
    assert counts["started"] == counts["finished"] + counts["cancelled"]
    assert counts["failed"] == 0
    assert memory.responses == []


def test_cancelling_a_call_alone() -> None:
    memory = MemorySink()

    async def main() -> None:
        inside = asyncio.Event()

        async def waits() -> None:
            inside.set()
            await asyncio.sleep(60)

        executor = ToolExecutor([Body(waits)], sinks=[memory])
        task = asyncio.create_task(executor.acall("waits"))
        await inside.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        executor.close()

    asyncio.run(main())
    assert balance(memory) == {"started": 1, "cancelled": 1}
    assert memory.responses == []


def test_a_control_signal_of_a_call_alone() -> None:
    def pauses() -> None:
        raise Pause("approve?")

    memory = MemorySink()
    executor = ToolExecutor([Body(pauses)], sinks=[memory], control_signals=[Pause])
    with executor, pytest.raises(Pause):
        executor.call("pauses", call_id="c1")
    last = memory.events[-1]
    assert isinstance(last, ExecutionEvent)
    assert (last.type, last.reason, last.call_id) == ("cancelled", "suspended", "c1")


def test_an_unregistered_signal_is_an_ordinary_exception() -> None:
    def pauses() -> None:
        raise Pause("approve?")

    with ToolExecutor([Body(pauses)]) as executor:
        error = executor.call("pauses").error
    assert error is not None
    assert (error.kind, error.message) == (ErrorKind.EXCEPTION, "approve?")


def test_keyboard_interrupt_off_the_main_thread_is_a_failure_of_that_call() -> None:
    def interrupts() -> None:
        raise KeyboardInterrupt

    with ToolExecutor([Body(interrupts), Body(lambda: 1, name="ok")]) as executor:
        for run in (run_sync, run_async):
            calls = [ToolCall("interrupts"), ToolCall("ok")]
            event = run(executor, calls, call_deadline=30)
            error = event.responses[0].error
            assert error is not None
            assert (error.kind, error.type) == (ErrorKind.EXCEPTION, "KeyboardInterrupt")
            assert event.responses[1].unwrap() == 1


INTERRUPTED = """
import sys, threading, time
from isonomy.contract.call import ToolCall
from isonomy.observe.memory import MemorySink
from isonomy.runtime.executor import ToolExecutor
from tests.runtime.bodies import Body
import asyncio

def waits():
    sys.stdout.write("inside\\n")
    sys.stdout.flush()
    time.sleep(60)

async def awaits():
    sys.stdout.write("inside\\n")
    sys.stdout.flush()
    await asyncio.sleep(60)

memory = MemorySink()
options = {options}
executor = ToolExecutor([Body(awaits if {is_async} else waits, name="waits")], sinks=[memory])
try:
    {run}(executor, [ToolCall("waits")] * 3, **options)
except KeyboardInterrupt:
    types = sorted(e.type for e in memory.executions)
    print("interrupted", types, len(memory.responses), flush=True)
    sys.exit(130)
"""


def wait_until_asleep(process: int) -> None:
    """Wait until the main thread sleeps.

    asyncio misses a signal that comes just before its loop goes to sleep, until something wakes it.
    """
    status, last, seen = Path(f"/proc/{process}/task/{process}/status"), "", 0
    while seen < 5:
        now = "".join(
            line
            for line in status.read_text().splitlines()
            if line.startswith(("State:", "voluntary_ctxt"))
        )
        seen = seen + 1 if now == last and "sleeping" in now else 0
        last = now
        time.sleep(0.01)


@pytest.mark.parametrize("options", [{}, {"call_deadline": 50}, {"parallel": 2}])
@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("run", ["run_sync", "run_async"])
def test_ctrl_c_reaches_the_caller(options: dict[str, int], is_async: bool, run: str) -> None:
    code = INTERRUPTED.format(options=options, is_async=is_async, run=run)
    code = "from tests.runtime.test_modes import run_sync, run_async\n" + code
    root = Path(__file__).parents[2]
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
    )  # fmt: skip
    assert process.stdout is not None
    expected = options.get("parallel", 1)
    for _ in range(expected):
        assert process.stdout.readline() == "inside\n"
    wait_until_asleep(process.pid)
    process.send_signal(signal.SIGINT)
    before = time.monotonic()
    out, _ = process.communicate(timeout=30)
    assert time.monotonic() - before < 20
    started, cancelled = ["started"] * expected, ["cancelled"] * expected
    assert out == f"interrupted {cancelled + started} 0\n"
    assert process.returncode == 130


@pytest.mark.parametrize(
    "options", [None, {}, {"call_deadline": 30}, {"parallel": 2}, {"parallel": 2, "deadline": 30}]
)
def test_close_ends_what_is_in_flight_as_cancelled(options: dict[str, float] | None) -> None:  # D13
    memory = MemorySink()
    inside, go_on = threading.Event(), threading.Event()
    raised: list[BaseException] = []

    def blocks() -> None:
        inside.set()
        go_on.wait(60)

    executor = ToolExecutor([Body(blocks)], sinks=[memory], grace=1)

    def caller() -> None:
        try:
            if options is None:
                executor.call("blocks")
            else:
                executor.run([ToolCall("blocks")], **options)  # type: ignore[arg-type]
        except ExecutorClosed as closed:
            raised.append(closed)

    thread = threading.Thread(target=caller)
    thread.start()
    assert inside.wait(30)
    before = time.monotonic()
    executor.close()
    executor.close()
    assert time.monotonic() - before < 10
    assert balance(memory) == {"started": 1, "cancelled": 1}
    go_on.set()  # a body in the caller's own thread returns to it only now
    thread.join(30)
    assert not thread.is_alive()
    assert len(raised) == 1
    assert memory.responses == []
    with pytest.raises(ExecutorClosed):
        executor.call("blocks")


def test_close_ends_awaiting_callers_too() -> None:
    memory = MemorySink()

    async def main() -> None:
        inside = asyncio.Event()

        async def waits() -> None:
            inside.set()
            await asyncio.sleep(60)

        executor = ToolExecutor([Body(waits)], sinks=[memory])
        task = asyncio.create_task(executor.acall("waits"))
        await inside.wait()
        await executor.aclose()
        with pytest.raises(ExecutorClosed):
            await task

    asyncio.run(asyncio.wait_for(main(), 30))
    assert balance(memory) == {"started": 1, "cancelled": 1}
