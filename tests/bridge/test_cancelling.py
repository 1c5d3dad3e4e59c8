# SPDX-License-Identifier: Apache-2.0
"""Calls that nobody waits for any more (clauses 8.8, 8.9, 8.14; CASES D13, H1, H2)."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest
from tests.bridge.conftest import Load

from isonomy.contract.call import ToolCall
from isonomy.contract.error import Effect, ErrorKind
from isonomy.contract.events import ExecutionEvent
from isonomy.contract.misuse import IsonomyError
from isonomy.contract.outcome import Raised, Returned
from isonomy.observe.memory import MemorySink
from isonomy.runtime.executor import ToolExecutor
from isonomy.tools.tool import Invocation, Tool

HANG = 30.0  # seconds after which something hangs


def until(condition: Callable[[], bool]) -> None:
    """Wait for what another thread is about to do; there is no event for Java's side of it."""
    ends = time.monotonic() + HANG
    while not condition():
        assert time.monotonic() < ends, "it did not happen"
        time.sleep(0.002)


class Java:
    """Asks the Java side what runs there, past the executor under test."""

    def __init__(self, tools: dict[str, Tool]) -> None:
        self._tools = tools

    def ask(self, name: str, **arguments: Any) -> Any:
        with ThreadPoolExecutor(1) as aside:
            outcome = aside.submit(self._tools[name].invoke, Invocation(arguments)).result()
        assert isinstance(outcome, Returned), outcome
        return outcome.value


@pytest.fixture
def waiting(load: Load) -> dict[str, Tool]:
    return load("com.acme.Waiting")


@pytest.fixture
def java(waiting: dict[str, Tool]) -> Java:
    java = Java(waiting)
    until(lambda: java.ask("running") == 0)  # the tests before have ended there too
    return java


def test_a_deadline_interrupts_the_body(waiting: dict[str, Tool], java: Java) -> None:
    interrupted = java.ask("interrupted")
    with ToolExecutor(waiting.values()) as executor:
        error = executor.call("await", {"gate": str(uuid4())}, deadline=0.05).error
        assert error is not None
        assert (error.kind, error.effect) == (ErrorKind.TIMEOUT, Effect.POSSIBLE)
        until(lambda: java.ask("running") == 0)
    assert java.ask("interrupted") == interrupted + 1


def test_a_deadline_tells_the_context(waiting: dict[str, Tool], java: Java) -> None:
    with ToolExecutor(waiting.values()) as executor:
        error = executor.call("patient", deadline=0.05).error
        assert error is not None
        assert error.kind == ErrorKind.TIMEOUT
        until(lambda: java.ask("running") == 0)


def test_a_deadline_ends_the_wait_for_a_stage(waiting: dict[str, Tool]) -> None:
    with ToolExecutor(waiting.values(), max_threads=1) as executor:
        for _ in range(3):
            error = executor.call("never", deadline=0.05).error
            assert error is not None
            assert error.kind == ErrorKind.TIMEOUT
        # the one thread is free again: nothing still waits on it
        assert executor.call("running", deadline=HANG).is_success


def test_an_interrupt_stays_with_its_call(waiting: dict[str, Tool]) -> None:
    with ToolExecutor(waiting.values(), max_threads=1) as executor:
        for _ in range(20):
            executor.call("patient", deadline=0.005)
            assert executor.call("interruptLeft", deadline=HANG).unwrap() is False


def test_fifty_deaf_bodies(waiting: dict[str, Tool], java: Java) -> None:
    """The callers are answered in time, and threads are bounded (CASES H1, H2)."""
    gate = str(uuid4())
    with ToolExecutor(waiting.values(), max_threads=8) as executor:
        began = time.monotonic()
        calls = [ToolCall("deaf", {"gate": gate, "file": ""})] * 50
        event = executor.run(calls, parallel=50, deadline=0.3)
        assert time.monotonic() - began < HANG
        kinds = [record.response.error.kind for record in event.records]  # type: ignore[union-attr]
        assert kinds.count(ErrorKind.TIMEOUT) == 8
        assert kinds.count(ErrorKind.NOT_RUN) == 42
        java.ask("open", gate=gate)


def test_the_caller_cancels(waiting: dict[str, Tool], java: Java) -> None:
    interrupted = java.ask("interrupted")
    sink = MemorySink()

    async def main(executor: ToolExecutor) -> None:
        task = asyncio.create_task(executor.acall("await", {"gate": str(uuid4())}))
        await asyncio.to_thread(until, lambda: java.ask("running") == 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with ToolExecutor(waiting.values(), sinks=[sink]) as executor:
        asyncio.run(main(executor))
        until(lambda: java.ask("running") == 0)
    assert java.ask("interrupted") == interrupted + 1
    ends = [event.type for event in sink.events if isinstance(event, ExecutionEvent)]
    assert ends == ["started", "cancelled"]


@pytest.mark.parametrize("deadline", [None, 100.0])
def test_closing_while_a_call_is_blocked(
    waiting: dict[str, Tool], java: Java, deadline: float | None
) -> None:
    """The call is reported cancelled, and the body is told (CASES D13)."""
    sink = MemorySink()
    executor = ToolExecutor(waiting.values(), sinks=[sink], grace=1.0)
    raised: list[BaseException] = []

    def call() -> None:
        try:
            executor.call("await", {"gate": str(uuid4())}, deadline=deadline)
        except IsonomyError as closed:
            raised.append(closed)

    caller = threading.Thread(target=call)
    caller.start()
    until(lambda: java.ask("running") == 1)
    executor.close()
    executor.close()
    caller.join(HANG)
    assert not caller.is_alive()
    assert [type(error).__name__ for error in raised] == ["ExecutorClosed"]
    until(lambda: java.ask("running") == 0)
    ends = [event.type for event in sink.events if isinstance(event, ExecutionEvent)]
    assert ends == ["started", "cancelled"]


def test_closing_does_not_wait_for_a_deaf_body(waiting: dict[str, Tool], java: Java) -> None:
    gate = str(uuid4())
    executor = ToolExecutor(waiting.values(), grace=0.2)
    error = executor.call("deaf", {"gate": gate, "file": ""}, deadline=0.05).error
    assert error is not None
    began = time.monotonic()
    executor.close()
    assert time.monotonic() - began < HANG
    java.ask("open", gate=gate)


def test_a_call_cancelled_before_it_reaches_java(waiting: dict[str, Tool]) -> None:
    invocation = Invocation({"gate": str(uuid4())})
    invocation.cancel()
    outcome = waiting["await"].invoke(invocation)
    assert isinstance(outcome, Raised)
    assert outcome.error.type == "java.lang.InterruptedException"


def test_cancelling_twice_and_late_does_nothing(waiting: dict[str, Tool]) -> None:
    for _ in range(2):
        invocation = Invocation({})
        assert waiting["interruptLeft"].invoke(invocation) == Returned(False)
        invocation.cancel()
        invocation.cancel()


def test_the_body_of_another_call_goes_on(waiting: dict[str, Tool], java: Java) -> None:
    """A cancellation reaches one call, also among calls of one tool (CASES C10)."""
    left, stay = str(uuid4()), str(uuid4())
    with ToolExecutor(waiting.values()) as executor, ThreadPoolExecutor(1) as other:
        staying = other.submit(executor.call, "await", {"gate": stay}, deadline=HANG)
        until(lambda: java.ask("running") == 1)
        error = executor.call("await", {"gate": left}, deadline=0.05).error
        assert error is not None
        assert error.kind == ErrorKind.TIMEOUT
        java.ask("open", gate=stay)
        assert staying.result().unwrap() == "opened"
