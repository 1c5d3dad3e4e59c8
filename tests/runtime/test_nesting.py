# SPDX-License-Identifier: Apache-2.0
"""Calls inside calls never wait for each other in a circle (clause 8.7)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from isonomy.contract.call import ToolCall
from isonomy.observe.memory import MemorySink
from isonomy.runtime.executor import ToolExecutor
from tests.runtime.bodies import Body
from tests.runtime.test_modes import MODES

#: A hang is the failure these tests look for.
LIMIT = 60


def within(seconds: float, function: Any) -> Any:
    """Run a function on a thread, so that one that hangs fails."""
    result: list[Any] = []
    thread = threading.Thread(target=lambda: result.append(function()), daemon=True)
    thread.start()
    thread.join(seconds)
    assert not thread.is_alive(), "nesting hangs"
    return result[0]


def nested_tools(get: Any) -> list[Body]:
    """Four tools that go down a level each, synchronous and asynchronous, by every entry point."""

    def down_sync(n: int, deadline: float | None = None) -> int:
        return (
            n if n == 0 else 1 + get().call("down_sync", {"n": n - 1}, deadline=deadline).unwrap()
        )

    async def down_async(n: int) -> int:
        return n if n == 0 else 1 + (await get().acall("down_async", {"n": n - 1})).unwrap()

    def sync_to_async(n: int) -> int:
        return n if n == 0 else 1 + get().call("async_to_sync", {"n": n - 1}).unwrap()

    async def async_to_sync(n: int) -> int:
        return n if n == 0 else 1 + (await get().acall("sync_to_async", {"n": n - 1})).unwrap()

    async def async_blocking(n: int) -> int:
        return n if n == 0 else 1 + get().call("async_blocking", {"n": n - 1}).unwrap()

    def fan_out(n: int) -> int:
        if n == 0:
            return 1
        event = get().run([ToolCall("fan_out", {"n": n - 1})] * 2, parallel=2)
        return sum(response.unwrap() for response in event.responses)

    async def fan_out_async(n: int) -> int:
        if n == 0:
            return 1
        event = await get().arun([ToolCall("fan_out_async", {"n": n - 1})] * 2, parallel=2)
        return sum(response.unwrap() for response in event.responses)

    bodies: list[Callable[..., Any]] = [
        down_sync, down_async, sync_to_async, async_to_sync, async_blocking, fan_out, fan_out_async,
    ]  # fmt: skip
    return [Body(body, max_parallel=1) for body in bodies]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("tool", "depth", "result"),
    [
        ("down_sync", 6, 6),
        ("down_async", 6, 6),
        ("sync_to_async", 6, 6),
        ("async_to_sync", 6, 6),
        ("async_blocking", 4, 4),
        ("fan_out", 4, 16),
        ("fan_out_async", 4, 16),
    ],
)
def test_nesting_ends_with_one_thread_and_one_permit(
    mode: str, tool: str, depth: int, result: int
) -> None:
    run, options = MODES[mode]
    memory = MemorySink()
    executor: ToolExecutor = ToolExecutor(
        nested_tools(lambda: executor), sinks=[memory], max_threads=1
    )
    with executor:
        calls = [ToolCall(tool, {"n": depth})] * 3
        event = within(LIMIT, lambda: run(executor, calls, **options))
    assert [r.unwrap() for r in event.responses] == [result] * 3
    types = [e.type for e in memory.executions]
    assert types.count("started") == types.count("finished") == len(types) / 2


def test_tools_that_call_each_other_in_a_circle_do_not_wait_for_each_others_permits() -> None:
    meet = threading.Barrier(2)

    def a(n: int) -> str:
        if n:
            meet.wait(30)  # both hold their permit now and want the other's
            return f"a{executor.call('b', {'n': 0}).unwrap()}"
        return "a"

    def b(n: int) -> str:
        if n:
            meet.wait(30)
            return f"b{executor.call('a', {'n': 0}).unwrap()}"
        return "b"

    executor = ToolExecutor([Body(a, max_parallel=1), Body(b, max_parallel=1)])
    with executor:
        calls = [ToolCall("a", {"n": 1}), ToolCall("b", {"n": 1})]
        event = within(LIMIT, lambda: executor.run(calls, parallel=2))
    assert [r.unwrap() for r in event.responses] == ["ab", "ba"]


def test_a_nested_call_with_a_deadline_gets_a_thread_though_all_are_taken() -> None:
    def outer() -> int:
        value: int = executor.call("inner", deadline=30).unwrap()
        return value

    def inner() -> int:
        return 7

    executor = ToolExecutor([Body(outer), Body(inner)], max_threads=1)
    with executor:
        event = within(LIMIT, lambda: executor.run([ToolCall("outer")] * 3, call_deadline=30))
    assert [r.unwrap() for r in event.responses] == [7, 7, 7]


def test_a_synchronous_call_inside_a_running_loop_that_is_not_ours() -> None:
    async def aok() -> int:
        await asyncio.sleep(0)
        return 1

    async def main() -> int:
        with ToolExecutor([Body(aok)]) as executor:
            value: int = executor.call("aok").unwrap()
            return value

    assert within(LIMIT, lambda: asyncio.run(main())) == 1


def test_two_executors_may_call_each_other() -> None:
    inner = ToolExecutor([Body(lambda: 3, name="leaf")])
    outer = ToolExecutor([Body(lambda: inner.call("leaf").unwrap() + 1, name="root")])
    with inner, outer:
        assert outer.call("root").unwrap() == 4


@pytest.mark.parametrize("is_async", [False, True])
def test_a_tool_that_calls_itself_for_ever_ends_in_a_failure(is_async: bool) -> None:
    bodies: list[int] = []

    def endless() -> Any:
        bodies.append(1)
        return executor.call("endless").unwrap()

    async def aendless() -> Any:
        bodies.append(1)
        return (await executor.acall("endless")).unwrap()

    memory = MemorySink()
    tool = Body(aendless if is_async else endless, name="endless")
    executor: ToolExecutor = ToolExecutor([tool], sinks=[memory])
    with executor:
        error = within(LIMIT, lambda: executor.call("endless")).error
    assert error.message == "not started: calls are nested too deep"
    assert len(bodies) == 32
    types = [e.type for e in memory.executions]
    assert (types.count("started"), types.count("failed")) == (32, 33)
