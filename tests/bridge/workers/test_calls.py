# SPDX-License-Identifier: Apache-2.0
"""Calls of Python tools in a worker: their outcomes, and what comes beside them."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from typing import Any

import pytest
from tests.bridge.workers.conftest import Start

from isonomy import MemorySink, Misuse, ToolCall, ToolExecutor
from isonomy.contract.error import Effect, ErrorKind


def failure(response: Any) -> Any:
    assert not response.is_success, response
    return response.error


def test_a_tool_keeps_what_it_is(start: Start) -> None:
    tools = {tool.name: tool for tool in start()}
    add = tools["add"]
    assert (add.description, add.language, add.wants_context) == (
        "Add two numbers.",
        "python",
        False,
    )
    assert add.input_schema["required"] == ["a"]
    assert tools["stuck"].deadline == 0.2
    assert tools["say"].wants_context
    assert tools["tenant"].injected["tenant"].name == "tenant"


def test_values_cross_and_arguments_are_judged_once_by_the_worker(executor: ToolExecutor) -> None:
    assert executor.call("add", {"a": 1}).unwrap() == 2
    assert executor.call("add", '{"a": 1, "b": 18446744073709551616}').unwrap() == 2**64 + 1
    error = failure(executor.call("add", {"a": "x"}))
    assert (error.kind, error.effect) == (ErrorKind.INVALID_ARGUMENTS, Effect.NONE)
    assert error.message == "a: expected integer"


def test_a_nested_argument_reaches_the_body_as_it_was_sent(executor: ToolExecutor) -> None:
    text = 'a "quoted" \\ $iso: \u00e9 \U0001f600 ' * 3
    assert executor.call("length", {"text": text}).unwrap() == len(text)


def test_an_exception_keeps_its_cause_and_its_trace(executor: ToolExecutor) -> None:
    error = failure(executor.call("chained", {}))
    assert (error.kind, error.type, error.message) == ("exception", "ConnectionError", "outer")
    assert [(cause.type, cause.message) for cause in error.causes] == [("KeyError", "'inner'")]
    assert "hard_tools.py" in error.trace
    assert "isonomy/worker" not in error.trace


@pytest.mark.parametrize(
    ("name", "type_"),
    [
        ("SystemExit", "SystemExit"),
        ("KeyboardInterrupt", "KeyboardInterrupt"),
        ("MemoryError", "MemoryError"),
        ("GeneratorExit", "GeneratorExit"),
        ("CancelledError", "asyncio.exceptions.CancelledError"),
    ],
)
def test_what_would_end_a_program_fails_its_call_only(
    executor: ToolExecutor, name: str, type_: str
) -> None:
    before = executor.call("pid", {}).unwrap()
    error = failure(executor.call("raise_named", {"name": name}))
    assert (error.kind, error.type, error.effect) == ("exception", type_, Effect.POSSIBLE)
    assert executor.call("pid", {}).unwrap() == before


def test_a_failure_that_is_raised_is_that_failure(executor: ToolExecutor) -> None:
    error = failure(executor.call("raise_named", {"name": "ToolFailed"}))
    assert (error.kind, error.code, error.message) == ("tool_error", "NO", "declined")


def test_endless_recursion_fails_its_call(executor: ToolExecutor) -> None:
    error = failure(executor.call("recurse", {}))
    assert (error.kind, error.type) == ("exception", "RecursionError")
    assert executor.call("add", {"a": 1}).unwrap() == 2


def test_signals_of_ctrl_c_do_not_end_a_worker(executor: ToolExecutor) -> None:
    before = executor.call("pid", {}).unwrap()
    assert executor.call("interrupt_main", {}).unwrap() == "alive"
    assert executor.call("pid", {}).unwrap() == before


def test_generators_and_objects_come_as_opaque_values(executor: ToolExecutor) -> None:
    assert executor.call("generate", {}).unwrap().type == "generator"
    assert executor.call("strange", {}).unwrap()["object"].type == "object"


def test_what_a_body_returns_is_awaited(executor: ToolExecutor) -> None:
    assert executor.call("later", {}).unwrap() == "awaited"
    assert executor.call("nap_async", {"seconds": 0.01}).unwrap() == "slept"


def test_limits_of_the_executor_hold_in_the_worker(start: Start) -> None:
    with ToolExecutor(start(), inject={}, max_result_bytes=1_000, strict_values=True) as executor:
        error = failure(executor.call("large", {"characters": 1_000}))
        assert (error.kind, error.effect) == (ErrorKind.TOO_LARGE, Effect.POSSIBLE)
        error = failure(executor.call("strange", {}))
        assert error.kind == ErrorKind.RESULT_CONVERSION


def test_frames_are_bounded_both_ways(start: Start) -> None:
    with ToolExecutor(start(max_frame=65_536)) as executor:
        error = failure(executor.call("length", {"text": "x" * 65_536}))
        assert (error.kind, error.effect) == (ErrorKind.TOO_LARGE, Effect.NONE)
        assert error.message == "the arguments take more than 65536 bytes"
        error = failure(executor.call("large", {"characters": 65_536}))
        assert (error.kind, error.effect) == (ErrorKind.TOO_LARGE, Effect.POSSIBLE)
        assert executor.call("large", {"characters": 60_000}).unwrap() == "x" * 60_000


def test_large_values_cross(executor: ToolExecutor) -> None:
    text = "\u00e9" * 3_000_000
    assert executor.call("length", {"text": text}).unwrap() == len(text)
    assert executor.call("large", {"characters": 8_000_000}).unwrap() == "x" * 8_000_000


def test_injected_values_come_from_the_host(executor: ToolExecutor) -> None:
    assert executor.call("tenant", {}).unwrap() == "t-1"
    assert failure(executor.call("tenant", {"Tenant": "evil"})).kind == "invalid_arguments"


def test_an_injected_value_that_cannot_cross_is_told(start: Start) -> None:
    with ToolExecutor(start(), inject={"tenant": object()}) as executor:
        error = failure(executor.call("tenant", {}))
    assert (error.kind, error.effect) == (ErrorKind.INTERNAL, Effect.NONE)
    assert "cannot reach Python: a object has no portable form" in error.message


def test_calls_run_side_by_side_in_one_worker(executor: ToolExecutor) -> None:
    calls = [ToolCall("nap", {"seconds": 0.3}, str(at)) for at in range(16)]
    calls += [ToolCall("nap_async", {"seconds": 0.3}, str(at)) for at in range(16)]
    began = time.monotonic()
    records = executor.run(calls, parallel=32).records
    assert [record.response.unwrap() for record in records] == ["slept"] * 32
    assert time.monotonic() - began < 0.3 * 16  # one after the other would take 9.6 s


def test_a_quick_tool_that_turns_slow_keeps_nobody_waiting(executor: ToolExecutor) -> None:
    for _ in range(5):
        executor.call("nap", {"seconds": 0})  # so quick that the reading thread runs it
    slow = threading.Thread(target=executor.call, args=("nap", {"seconds": 2}))
    slow.start()
    time.sleep(0.05)
    assert executor.call("add", {"a": 1}).unwrap() == 2
    assert slow.is_alive()
    slow.join()


def test_context_variables_are_those_of_one_call(executor: ToolExecutor) -> None:
    for text in "abc":
        assert executor.call("note", {"text": text}).unwrap() == "nothing"


def test_progress_is_told_while_the_call_runs(start: Start) -> None:
    sink = MemorySink()
    with ToolExecutor(start(), sinks=[sink]) as executor:
        call = ToolCall("advance", {"steps": 3}, "c-1")
        (record,) = executor.run([call], deadline=30).records
    assert record.response.unwrap() == "c-1 1 True"
    told = [event.progress for event in sink.executions if event.progress]
    assert told == [(1, 3, "step 1"), (2, 3, "step 2"), (3, 3, "step 3")]


def test_progress_after_the_end_goes_nowhere(start: Start) -> None:
    sink = MemorySink()
    with ToolExecutor(start(), sinks=[sink]) as executor:
        assert executor.call("lie_about_progress", {}).unwrap() == "before"
        assert executor.call("nap", {"seconds": 0.2}).unwrap() == "slept"
    assert not [event for event in sink.executions if event.progress]


def test_log_records_come_to_the_host(
    executor: ToolExecutor, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        executor.call("say", {"text": "%s"})
        executor.call("say_wrongly", {})
    told = [(one.name, one.levelname, one.getMessage()) for one in caplog.records]
    assert told == [
        ("hard", "INFO", "said %s"),
        ("isonomy.tool.say", "WARNING", "%s too"),
        ("hard", "ERROR", "(a log record that cannot be written)"),
        ("hard", "ERROR", "\ufffd"),
    ]


def test_log_records_between_calls_are_kept_for_the_next(
    executor: ToolExecutor, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        executor.call("say_later", {"count": 1_010})
        time.sleep(0.8)
        assert not caplog.records
        executor.call("add", {"a": 1})
    told = [one.getMessage() for one in caplog.records]
    assert told[0] == "10 earlier log records of a worker were dropped"
    assert told[1:] == [f"later {at}" for at in range(10, 1_010)]


# Cancelling -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["nap_until_cancelled", "nap_async"])
async def test_a_cancelled_body_is_told(executor: ToolExecutor, name: str) -> None:
    arguments = {"name": "first"} | ({"seconds": 30} if name == "nap_async" else {})
    task = asyncio.create_task(executor.acall(name, arguments))
    await asyncio.sleep(0.3)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    told: list[str] = []
    for _ in range(100):
        told = (await executor.acall("who_was_cancelled", {})).unwrap()
        if told:
            break
        await asyncio.sleep(0.05)
    assert told == ["first" if name == "nap_async" else "first True"]


def test_the_remaining_time_crosses(executor: ToolExecutor) -> None:
    assert executor.call("advance", {"steps": 0}).unwrap() == "None 1 False"
    assert executor.call("advance", {"steps": 0}, deadline=30).unwrap() == "None 1 True"


def test_a_tool_of_a_worker_cannot_be_pickled(start: Start) -> None:
    import pickle

    with pytest.raises(Misuse, match="belongs to workers of this process"):
        pickle.dumps(start()[0])


# What tools do to their process -----------------------------------------------------------------


def test_a_body_may_print_much(capfd: pytest.CaptureFixture[str], start: Start) -> None:
    executor = ToolExecutor(start())
    assert executor.call("print_much", {"megabytes": 50}).unwrap() == "printed"
    assert executor.call("add", {"a": 1}).unwrap() == 2
    out, err = map(len, capfd.readouterr())
    assert (out, err) == (0, 50 * 16 * 65_536)


@pytest.mark.parametrize("descriptor", [0, 1, 2])
def test_a_body_may_use_and_close_the_standard_streams(
    executor: ToolExecutor, descriptor: int, capfd: pytest.CaptureFixture[str]
) -> None:
    before = executor.call("pid", {}).unwrap()
    if descriptor:
        assert executor.call("write_to", {"descriptor": descriptor}).unwrap() == "wrote"
    assert executor.call("close", {"descriptor": descriptor}).unwrap() == "closed"
    executor.call("print_much", {"megabytes": 1})  # whatever becomes of it
    assert executor.call("add", {"a": 1}).unwrap() == 2
    assert executor.call("pid", {}).unwrap() == before


def test_a_body_may_close_all_low_descriptors(executor: ToolExecutor) -> None:
    before = executor.call("pid", {}).unwrap()
    assert executor.call("close_range", {}).unwrap() == "closed"
    assert executor.call("nap_async", {"seconds": 0}).unwrap() == "slept"
    assert executor.call("pid", {}).unwrap() == before


def test_a_body_that_closes_the_wire_itself_loses_its_worker(executor: ToolExecutor) -> None:
    error = failure(executor.call("close_everything", {}))
    assert (error.kind, error.effect) == (ErrorKind.CONNECTION_LOST, Effect.POSSIBLE)
    assert executor.call("add", {"a": 1}).unwrap() == 2


def test_a_body_may_fork_and_come_back_twice(executor: ToolExecutor) -> None:
    before = executor.call("pid", {}).unwrap()
    assert executor.call("fork_and_return", {}).unwrap() == "parent"
    assert executor.call("add", {"a": 1}).unwrap() == 2
    assert executor.call("pid", {}).unwrap() == before


def test_children_of_a_body_log_and_report_without_harm(
    capfd: pytest.CaptureFixture[str], start: Start
) -> None:
    with ToolExecutor(start()) as executor:
        doubled = executor.call("double_in_children", {"numbers": [1, 2, 3]}, deadline=30).unwrap()
    assert doubled == [2, 4, 6, 7]
    assert "isonomy worker: warning child: doubling 2" in capfd.readouterr().err


def test_folder_and_environment_are_the_worker_s_own(
    start: Start, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MOVED", raising=False)
    (tmp_path / "deeper").mkdir()
    tools = start(env={"GIVEN": "here"}, cwd=tmp_path)
    with ToolExecutor(tools) as executor:
        assert executor.call("where", {}).unwrap() == [str(tmp_path), None, "here"]
        folder = str(tmp_path / "deeper")
        assert executor.call("move", {"folder": folder}).unwrap() == folder
        assert executor.call("where", {}).unwrap() == [folder, folder, "here"]
        assert executor.call("add", {"a": 1}).unwrap() == 2
