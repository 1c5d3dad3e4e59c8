# SPDX-License-Identifier: Apache-2.0
"""Calls from many threads, and what threads leave behind (CASES D8, H5)."""

from __future__ import annotations

import asyncio
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest
from tests.bridge.conftest import Load

from isonomy.contract.call import ToolCall
from isonomy.contract.error import ErrorKind
from isonomy.contract.events import ExecutionEvent
from isonomy.contract.outcome import Raised, Returned
from isonomy.contract.response import ToolFailure
from isonomy.observe.memory import MemorySink
from isonomy.observe.metrics import Metrics
from isonomy.runtime.executor import ToolExecutor
from isonomy.tools.tool import Invocation


def test_a_hundred_parallel_calls(executor: ToolExecutor) -> None:
    calls = [ToolCall("echo", {"value": {"n": n, "pad": "x" * n}}, str(n)) for n in range(100)]
    event = executor.run(calls, parallel=16)
    assert [record.call_id for record in event.records] == [str(n) for n in range(100)]
    assert [record.response.unwrap()["n"] for record in event.records] == list(range(100))


def test_a_hundred_parallel_calls_of_python_tools_that_call_java(load: Load) -> None:
    """A Python tool on a pool thread calls a Java tool that returns a live object (CASES D8)."""
    java = ToolExecutor(load("com.acme.Values").values())

    def ask(n: int) -> Any:
        return [n, java.call("alive").unwrap()["nested"]]

    with ToolExecutor([ask]) as executor:
        event = asyncio.run(
            executor.arun([ToolCall("ask", {"n": n}) for n in range(100)], parallel=32)
        )
    nested = [{"n": 7, "f": 1.5}, [1, None, "x"]]
    assert [record.response.unwrap() for record in event.records] == [
        [n, nested] for n in range(100)
    ]


def test_requests_do_not_mix(load: Load) -> None:
    """Threads that call at the same time each get their own answer, of any size."""
    echo = load("com.acme.Values")["echo"]

    def work(seed: int) -> None:
        for n in range(200):
            value = {"seed": seed, "n": n, "pad": "é" * (n * seed * 37 % 40_000)}
            assert echo.invoke(Invocation({"value": value})) == Returned(value)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))


def test_threads_that_end_leave_no_java_thread(load: Load) -> None:
    waiting, failures = load("com.acme.Waiting"), []

    def call() -> None:
        outcome = waiting["running"].invoke(Invocation({}))
        if not isinstance(outcome, Returned):
            failures.append(outcome)

    def java_threads() -> int:
        outcome = waiting["threads"].invoke(Invocation({"prefix": ""}))
        assert isinstance(outcome, Returned)
        return int(outcome.value)

    before = java_threads()
    for _ in range(300):
        thread = threading.Thread(target=call)
        thread.start()
        thread.join()
    assert failures == []
    # The JVM has some that come and go; one for each thread would be 300.
    assert java_threads() <= before + 10


def test_a_call_inside_a_call_has_buffers_of_its_own(load: Load) -> None:
    """A signal handler may call Java tools between two steps of a call of its thread."""
    echo: Any = load("com.acme.Values")["echo"]
    local = echo._endpoint._line._local
    inner: list[Any] = []

    def outer() -> Any:
        echo.invoke(Invocation({"value": 1}))
        buffers = local.buffers
        call = buffers.call

        def interrupted(*arguments: Any) -> Any:
            inner.append(echo.invoke(Invocation({"value": "inner" * 100})))
            return call(*arguments)

        buffers.call = interrupted
        return echo.invoke(Invocation({"value": "outer"}))

    with ThreadPoolExecutor(1) as pool:  # a thread of its own, whose buffers end with it
        assert pool.submit(outer).result() == Returned("outer")
    assert inner == [Returned("inner" * 100)]


@pytest.mark.parametrize("parallel", [1, 4])
def test_java_errors_end_their_call_only(load: Load, parallel: int) -> None:
    """Any Throwable is a failure of that call; siblings go on (CASES H5, clause 8.11)."""
    sink, metrics = MemorySink(), Metrics()
    tools = [*load("com.acme.Lethal").values(), *load("com.acme.Values").values()]
    with ToolExecutor(tools, sinks=[sink, metrics]) as executor:
        calls = [
            ToolCall("overflow"),
            ToolCall("echo", {"value": 1}),
            ToolCall("noClass"),
            ToolCall("outOfMemory"),
            ToolCall("echo", {"value": 2}),
        ]
        event = executor.run(calls, parallel=parallel)
    responses = [record.response for record in event.records]
    failed = [response.error for response in responses if isinstance(response, ToolFailure)]
    assert [error.kind for error in failed] == [ErrorKind.EXCEPTION] * 3
    assert [error.type for error in failed] == [
        "java.lang.StackOverflowError",
        "java.lang.NoClassDefFoundError",
        "java.lang.OutOfMemoryError",
    ]
    assert [response.unwrap() for response in responses if response.is_success] == [1, 2]
    types = [event.type for event in sink.events if isinstance(event, ExecutionEvent)]
    assert types.count("started") == 5
    assert types.count("failed") == 3
    assert types.count("finished") == 2


def test_the_main_thread_stays_open_to_signals(load: Load) -> None:
    """In the main thread a body runs aside until it has shown that it is quick."""
    assert threading.current_thread() is threading.main_thread()
    tool = load("com.acme.Waiting")["thread"]
    tool._quick = False  # type: ignore[attr-defined]
    assert tool.invoke(Invocation({})) == Returned("isonomy-call")
    outcome = tool.invoke(Invocation({}))
    for _ in range(1000):  # a busy machine may make a call slow, not each
        outcome = tool.invoke(Invocation({}))
        if outcome != Returned("isonomy-call"):
            break
    assert isinstance(outcome, Returned)
    assert outcome.value != "isonomy-call"


def test_an_exception_of_a_signal_handler_is_the_end_of_the_call(load: Load) -> None:
    waiting = load("com.acme.Waiting")

    def alarm(*_: Any) -> None:
        raise RuntimeError("rang")

    before = signal.signal(signal.SIGALRM, alarm)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        waiting["await"]._quick = False  # type: ignore[attr-defined]
        outcome = waiting["await"].invoke(Invocation({"gate": str(uuid4())}))
    finally:
        signal.signal(signal.SIGALRM, before)
    assert isinstance(outcome, Raised)
    assert (outcome.error.type, outcome.error.message) == ("RuntimeError", "rang")


def test_a_body_that_leaves_its_thread_interrupted_interrupts_no_other(load: Load) -> None:
    with ToolExecutor(load("com.acme.Waiting").values()) as executor:
        for deadline in (None, 30):
            for _ in range(3):
                calls = [ToolCall("leavesInterrupted"), ToolCall("nap", {"milliseconds": 1})]
                event = executor.run(calls, call_deadline=deadline)
                assert [response.error for response in event.responses] == [None, None]
