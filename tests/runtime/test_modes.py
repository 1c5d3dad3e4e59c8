# SPDX-License-Identifier: Apache-2.0
"""One batch, every way to run it: the same responses, records and events (CASES F; 8, 9)."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

import pytest

from isonomy.contract.call import ToolCall
from isonomy.contract.error import Effect, ErrorKind
from isonomy.contract.events import Execution, ExecutionEvent, ResponseEvent
from isonomy.contract.misuse import Misuse
from isonomy.contract.response import ToolFailure, ToolResponse
from isonomy.observe.memory import MemorySink
from isonomy.observe.metrics import Metrics
from isonomy.runtime.executor import ToolExecutor
from tests.runtime.bodies import Body

Run = Callable[..., ResponseEvent]


def run_sync(executor: ToolExecutor, calls: list[ToolCall], **options: Any) -> ResponseEvent:
    return executor.run(calls, **options)


def run_async(executor: ToolExecutor, calls: list[ToolCall], **options: Any) -> ResponseEvent:
    return asyncio.run(executor.arun(calls, **options))


MODES = {
    "sync-order": (run_sync, {}),
    "sync-order-deadline": (run_sync, {"call_deadline": 30}),
    "sync-parallel": (run_sync, {"parallel": 4}),
    "sync-parallel-deadline": (run_sync, {"parallel": 4, "deadline": 30}),
    "async-order": (run_async, {}),
    "async-order-deadline": (run_async, {"call_deadline": 30}),
    "async-parallel": (run_async, {"parallel": 4}),
    "async-parallel-deadline": (run_async, {"parallel": 4, "deadline": 30}),
}


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> Run:
    run, options = MODES[request.param]
    return lambda executor, calls, **more: run(executor, calls, **{**options, **more})


def ok(n: int = 0) -> int:
    return n * 2


async def aok(n: int = 0) -> int:
    await asyncio.sleep(0)
    return n * 2


def returns_awaitable(n: int = 0) -> Any:
    return aok(n)


def bad() -> None:
    raise ValueError("bad sku")


async def abad() -> None:
    await asyncio.sleep(0)
    raise ValueError("bad sku")


def declared() -> ToolResponse:
    return ToolResponse.error("quota exceeded", code="QUOTA")


def leaves() -> None:
    raise SystemExit(3)


async def cancels_itself() -> None:
    raise asyncio.CancelledError("my own")


def times_out_itself() -> None:
    raise TimeoutError("upstream")


TOOLS = [
    Body(body)
    for body in (
        ok, aok, returns_awaitable, bad, abad, declared, leaves, cancels_itself, times_out_itself,
    )
]  # fmt: skip

EXPECTED = [
    ("ok", 2, None),
    ("aok", 4, None),
    ("returns_awaitable", 6, None),
    ("bad", None, (ErrorKind.EXCEPTION, "bad sku", "ValueError")),
    ("abad", None, (ErrorKind.EXCEPTION, "bad sku", "ValueError")),
    ("declared", None, (ErrorKind.TOOL_ERROR, "quota exceeded", None)),
    ("nope", None, (ErrorKind.NOT_FOUND, 'no tool named "nope"', None)),
    ("leaves", None, (ErrorKind.EXCEPTION, "3", "SystemExit")),
    ("cancels_itself", None, (ErrorKind.EXCEPTION, "my own", "asyncio.exceptions.CancelledError")),
    ("times_out_itself", None, (ErrorKind.EXCEPTION, "upstream", "TimeoutError")),
    ("ok", 20, None),
]


def calls_of_expected() -> Iterator[ToolCall]:
    for position, (name, result, _) in enumerate(EXPECTED):
        arguments = {} if result is None else {"n": result // 2}
        yield ToolCall(name, arguments, f"c{position}")


def test_every_mode_gives_the_same_records_and_events(mode: Run) -> None:
    memory, metrics = MemorySink(), Metrics()
    with ToolExecutor(TOOLS, sinks=[memory, metrics]) as executor:
        event = mode(executor, list(calls_of_expected()), id="b1")
    assert event.id == "b1"
    assert [record.position for record in event.records] == list(range(len(EXPECTED)))
    for record, (name, result, failure) in zip(event.records, EXPECTED, strict=True):
        assert record.tool == name
        assert record.call_id == f"c{record.position}"
        if failure is None:
            assert record.response.unwrap() == result
        else:
            error = record.response.error
            assert error is not None
            assert (error.kind, error.message, error.type) == failure
        executed = name != "nope"
        assert record.execution == ("executed" if executed else "not_executed")
        assert record.attempts == (1 if executed else 0)
        assert (record.duration_us is None) is not executed
        assert (record.started_at is None) is not executed
    check_events(memory, event)
    counted = metrics.snapshot()
    assert counted.count(status="success") == 4
    assert counted.count(status="failure") == 7
    assert counted.in_flight == 0
    assert sum(kept.count for kept in counted.latency.values()) == 10


def check_events(memory: MemorySink, event: ResponseEvent) -> None:
    assert memory.events[-1] is event
    executions = memory.executions
    assert sorted(e.seq for e in executions) == list(range(len(executions)))
    for record in event.records:
        own = [e for e in executions if e.position == record.position]
        failed = isinstance(record.response, ToolFailure)
        end = "failed" if failed else "finished"
        started = ["started"] if record.execution is Execution.EXECUTED else []
        assert [e.type for e in own] == [*started, end]
        assert own[-1].kind == (record.response.error.kind if record.response.error else None)
        assert own[-1].duration_us == record.duration_us
        assert {e.tool for e in own} == {record.tool}


@pytest.mark.parametrize("position", range(len(EXPECTED)))
def test_a_call_alone_is_a_batch_of_one(position: int) -> None:
    """`call` has a shorter way for most tools; nobody must be able to tell."""
    call = list(calls_of_expected())[position]
    told = []
    for way in ("call", "acall", "run"):
        memory, metrics = MemorySink(), Metrics()
        with ToolExecutor(TOOLS, sinks=[memory, metrics]) as executor:
            if way == "run":
                executor.run([call])
            elif way == "call":
                response = executor.call(call.tool, call.arguments, call_id=call.call_id)
                assert memory.responses[0].records[0].response is response
            else:
                calling = executor.acall(call.tool, call.arguments, call_id=call.call_id)
                response = asyncio.run(calling)
                assert memory.responses[0].records[0].response is response
        told.append(([timeless(event) for event in memory.events], metrics.snapshot().calls))
    assert told[0] == told[1] == told[2]


def timeless(event: Any) -> Any:
    if isinstance(event, ResponseEvent):
        return event.id, [timeless(record) for record in event.records]
    if isinstance(event, ExecutionEvent):
        return event._replace(at_ns=0, duration_us=event.duration_us and 0)
    error = event.response.error
    response = event.response if error is None else (error.kind, error.message, error.type)
    return event._replace(started_ns=event.started_ns and 0, duration_us=None, response=response)


def test_siblings_of_a_failure_are_isolated_in_both_orders(mode: Run) -> None:  # A10, F2
    with ToolExecutor(TOOLS) as executor:
        for names in (["bad", "ok"], ["ok", "bad"], ["ok", "bad", "aok"]):
            event = mode(executor, [ToolCall(name) for name in names])
            assert [r.is_success for r in event.responses] == [name != "bad" for name in names]


def test_equal_ids_and_equal_tools_stay_apart(mode: Run) -> None:  # F4, F5
    calls = [
        ToolCall("ok", {"n": 1}, "c1"),
        ToolCall("ok", {"n": 2}, "c1"),
        ToolCall("ok", {"n": 3}, "c2"),
    ]
    with ToolExecutor(TOOLS) as executor:
        event = mode(executor, calls)
    assert [r.unwrap() for r in event.responses] == [2, 4, 6]
    assert [record.call_id for record in event.records] == ["c1", "c1", "c2"]


def test_an_empty_batch_is_an_empty_event(mode: Run) -> None:
    memory = MemorySink()
    with ToolExecutor(TOOLS, sinks=[memory]) as executor:
        event = mode(executor, [])
    assert event == ResponseEvent(None, ())
    assert memory.events == [event]


def test_fail_fast_skips_what_has_not_started(mode: Run) -> None:
    ran: list[int] = []
    failed = threading.Event()

    class Watch:
        direct = True

        def emit(self, event: Any) -> None:
            if isinstance(event, ExecutionEvent) and event.type == "failed":
                failed.set()

    def slowly(n: int) -> int:
        ran.append(n)
        assert failed.wait(30)  # nobody ends before the failing call did
        return n

    tools = [*TOOLS, Body(slowly)]
    calls = [ToolCall("bad"), *(ToolCall("slowly", {"n": n}) for n in range(20))]
    memory = MemorySink()
    with ToolExecutor(tools, sinks=[memory, Watch()]) as executor:
        event = mode(executor, calls, fail_fast=True)
    skipped = [r for r in event.records if r.execution is Execution.NOT_EXECUTED]
    assert len(skipped) == 20 - len(ran)
    assert len(skipped) >= 17  # at most what was started beside the failing call
    for record in skipped:
        error = record.response.error
        assert error is not None
        assert (error.kind, error.effect) == (ErrorKind.NOT_RUN, Effect.NONE)
        assert error.message == "not started: an earlier call failed"
    check_events(memory, event)


def test_in_order_an_unknown_tool_fails_fast_only_where_it_stands() -> None:
    with ToolExecutor(TOOLS) as executor:
        event = executor.run([ToolCall("ok"), ToolCall("nope"), ToolCall("ok")], fail_fast=True)
    kinds = [None if r.error is None else r.error.kind for r in event.responses]
    assert kinds == [None, ErrorKind.NOT_FOUND, ErrorKind.NOT_RUN]


class Peak:
    """Counts how many bodies run at once; they wait until nobody new comes."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.now = 0
        self.most = 0

    def __enter__(self) -> None:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)

    def __exit__(self, *_: object) -> None:
        with self.lock:
            self.now -= 1


@pytest.mark.parametrize("run", [run_sync, run_async])
@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("deadline", [None, 30])
def test_parallel_is_a_bound_that_is_reached(
    run: Run, is_async: bool, deadline: float | None
) -> None:  # F10, F11
    peak = Peak()
    meet = threading.Barrier(3)

    def busy() -> None:
        with peak:
            meet.wait(30)  # three must be inside at once, or this breaks

    async def abusy() -> None:
        with peak:
            await asyncio.to_thread(meet.wait, 30)

    with ToolExecutor([Body(abusy if is_async else busy, name="busy")]) as executor:
        event = run(executor, [ToolCall("busy")] * 21, parallel=3, call_deadline=deadline)
    assert all(r.is_success for r in event.responses)
    assert peak.most == 3


@pytest.mark.parametrize("run", [run_sync, run_async])
@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("deadline", [None, 30])
def test_max_parallel_bounds_one_tool_and_lets_others_pass(
    run: Run, is_async: bool, deadline: float | None
) -> None:
    peak = Peak()
    other_ran = threading.Event()

    def narrow() -> None:
        with peak:
            assert other_ran.wait(30)

    async def anarrow() -> None:
        with peak:
            assert await asyncio.to_thread(other_ran.wait, 30)

    def other() -> None:
        other_ran.set()

    tools = [Body(anarrow if is_async else narrow, name="narrow", max_parallel=1), Body(other)]
    calls = [*[ToolCall("narrow")] * 3, ToolCall("other")]
    with ToolExecutor(tools) as executor:
        event = run(executor, calls, parallel=4, call_deadline=deadline)
    assert [r.error for r in event.responses] == [None] * 4
    assert peak.most == 1


async def test_calls_are_a_list() -> None:
    with ToolExecutor() as executor:
        said = "calls are given as a list, such as .* not as one ToolCall"
        with pytest.raises(Misuse, match=said):
            executor.run(ToolCall("a"))  # type: ignore[arg-type]
        with pytest.raises(Misuse, match=said):
            await executor.arun(ToolCall("a"))  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [0, -1, True, 1.5, "2"])
def test_parallel_below_one_is_misuse(value: Any) -> None:
    with ToolExecutor(TOOLS) as executor, pytest.raises(Misuse, match="parallel"):
        executor.run([ToolCall("ok")], parallel=value)


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf"), True, "2"])
def test_a_deadline_that_is_no_positive_time_is_misuse(value: Any) -> None:
    with ToolExecutor(TOOLS) as executor, pytest.raises(Misuse, match="deadline"):
        executor.run([ToolCall("ok")], deadline=value)


colour: ContextVar[str] = ContextVar("colour", default="none")


def sees() -> str:
    seen = colour.get()
    colour.set("changed by the body")
    return seen


async def asees() -> str:
    await asyncio.sleep(0)
    seen = colour.get()
    colour.set("changed by the body")
    await asyncio.sleep(0)
    return seen


def sees_later() -> Any:
    seen = colour.get()
    colour.set("changed before it is awaited")
    return sees_after(seen)


async def sees_after(before: str) -> str:
    await asyncio.sleep(0)
    assert colour.get() == "changed before it is awaited"
    return before


def test_context_variables_are_copied_per_call(mode: Run) -> None:  # F13
    token = colour.set("blue")
    try:
        with ToolExecutor([Body(sees), Body(asees), Body(sees_later)]) as executor:
            calls = [ToolCall("sees"), ToolCall("asees"), ToolCall("sees_later")] * 3
            event = mode(executor, calls)
        assert {r.unwrap() for r in event.responses} == {"blue"}
        assert colour.get() == "blue"
    finally:
        colour.reset(token)


def test_sequential_wall_time_is_the_sum_and_parallel_the_longest() -> None:  # F10
    def naps() -> None:
        time.sleep(0.4)

    with ToolExecutor([Body(naps)]) as executor:
        before = time.monotonic()
        executor.run([ToolCall("naps")] * 5, parallel=5)
        assert time.monotonic() - before < 1.0
