# SPDX-License-Identifier: Apache-2.0
"""Workers that end in the midst of calls: one outcome for each call, and another worker (W5)."""

from __future__ import annotations

import os
import resource
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.bridge.workers.conftest import Start, error_of, gone

from isonomy import ToolCall, ToolExecutor
from isonomy.contract.error import Effect, ErrorKind

SOON = 3.0
"""Seconds that only a hang takes on a busy machine; the figure itself is the benchmark's."""


def lost(response: Any) -> Any:
    error = response.error
    assert (error.kind, error.effect) == (ErrorKind.CONNECTION_LOST, Effect.POSSIBLE), response
    return error


@pytest.mark.parametrize(
    ("tool", "arguments", "message", "details"),
    [
        ("leave", {"code": 0}, "the worker ended (exit code 0)", {"exit_code": 0}),
        ("leave", {"code": 7}, "the worker ended (exit code 7)", {"exit_code": 7}),
        ("crash", {}, "the worker ended (signal SIGSEGV)", {"signal": "SIGSEGV"}),
        ("kill", {"name": "SIGKILL"}, "the worker ended (signal SIGKILL)", {"signal": "SIGKILL"}),
        ("kill", {"name": "SIGTERM"}, "the worker ended (signal SIGTERM)", {"signal": "SIGTERM"}),
    ],
)
def test_a_worker_that_ends_fails_its_call_and_is_replaced(
    executor: ToolExecutor, tool: str, arguments: Any, message: str, details: Any
) -> None:
    before = executor.call("pid", {}).unwrap()
    began = time.monotonic()
    error = lost(executor.call(tool, arguments))
    assert time.monotonic() - began < SOON
    assert (error.message, error.details) == (message, details)
    assert executor.call("pid", {}).unwrap() != before


@pytest.mark.parametrize("hidden", [False, True])
def test_a_child_that_keeps_the_connection_does_not_hide_the_end(
    executor: ToolExecutor, hidden: bool, tmp_path: Path
) -> None:
    began = time.monotonic()
    error = lost(executor.call("fork_and_leave", {"hidden": hidden, "folder": str(tmp_path)}))
    assert time.monotonic() - began < SOON
    assert error.details == {"exit_code": 3}
    os.kill(int((tmp_path / "child").read_text(encoding="utf-8")), signal.SIGKILL)
    assert executor.call("add", {"a": 1}).unwrap() == 2


def test_all_calls_in_flight_are_lost_with_their_worker(start: Start) -> None:
    with ToolExecutor(start()) as executor:
        calls = [ToolCall("nap", {"seconds": 30}, str(at)) for at in range(8)]
        calls += [ToolCall("nap_async", {"seconds": 30}, str(at)) for at in range(8)]
        pid = executor.call("pid", {}).unwrap()
        killing = threading.Timer(0.5, os.kill, (pid, signal.SIGKILL))
        killing.start()
        records = executor.run(calls, parallel=16).records
        killing.join()
    assert {lost(record.response).message for record in records} == {
        "the worker ended (signal SIGKILL)"
    }


def test_a_worker_that_ended_between_calls_is_not_asked(executor: ToolExecutor) -> None:
    for _ in range(3):
        pid = executor.call("pid", {}).unwrap()
        os.kill(pid, signal.SIGKILL)
        assert gone(pid)
        assert executor.call("pid", {}).unwrap() != pid


def test_a_worker_that_closed_its_wire_between_calls_is_replaced(executor: ToolExecutor) -> None:
    pid = executor.call("pid", {}).unwrap()
    assert executor.call("close_everything_later", {}).unwrap() == "will"
    time.sleep(0.5)
    while not (told := executor.call("pid", {})).is_success:
        lost(told)
    assert told.unwrap() != pid
    assert gone(pid)


def test_the_calls_of_other_workers_go_on(start: Start) -> None:
    with ToolExecutor(start(workers=2)) as executor:
        calls = [ToolCall("nap", {"seconds": 1}, "a"), ToolCall("leave", {"code": 1}, "b")]
        first, second = executor.run(calls, parallel=2).records
    assert first.response.unwrap() == "slept"
    lost(second.response)


# Stuck calls ------------------------------------------------------------------------------------


def test_a_stuck_call_loses_its_worker_after_the_grace(start: Start) -> None:
    tools = start(grace=0.2)
    with ToolExecutor(tools) as executor:
        pid = executor.call("pid", {}).unwrap()
        error = error_of(executor.call("stuck", {}))
        assert (error.kind, error.effect) == (ErrorKind.TIMEOUT, Effect.POSSIBLE)
        assert gone(pid)
        assert executor.call("pid", {}).unwrap() != pid


def test_a_body_that_heeds_its_cancellation_keeps_its_worker(start: Start) -> None:
    with ToolExecutor(start(grace=0.5)) as executor:
        pid = executor.call("pid", {}).unwrap()
        arguments = {"name": "x"}
        assert (
            error_of(executor.call("nap_until_cancelled", arguments, deadline=0.2)).kind
            == "timeout"
        )
        time.sleep(1)
        assert executor.call("pid", {}).unwrap() == pid
        assert executor.call("who_was_cancelled", {}).unwrap() == ["x True"]


def test_the_neighbours_of_a_stuck_call_have_the_grace_once_more(start: Start) -> None:
    with ToolExecutor(start(grace=1.0)) as executor:
        pid = executor.call("pid", {}).unwrap()
        calls = [
            ToolCall("stuck", {}, "a"),
            ToolCall("nap", {"seconds": 1.6}, "b"),  # ends within 0.2 + 1 + 1 seconds
            ToolCall("nap", {"seconds": 60}, "c"),
        ]
        stuck, short, long = (one.response for one in executor.run(calls, parallel=3).records)
        assert error_of(stuck).kind == "timeout"
        assert short.unwrap() == "slept"
        # Its stream is closed before it is killed: it may end by itself in between.
        ways = ("signal SIGKILL", "exit code 0")
        assert lost(long).message in [f"the worker ended ({way})" for way in ways]
        assert gone(pid)


def test_a_call_may_have_a_worker_of_its_own(start: Start) -> None:
    with ToolExecutor(start(workers=2, calls_per_worker=1)) as executor:
        began = time.monotonic()
        calls = [ToolCall("nap", {"seconds": 0.5}, str(at)) for at in range(4)]
        records = executor.run(calls, parallel=4).records
        assert [record.response.unwrap() for record in records] == ["slept"] * 4
        assert time.monotonic() - began > 0.95  # two and two
        calls = [ToolCall("nap", {"seconds": 0.5}, "a"), ToolCall("leave", {"code": 1}, "b")]
        first, second = executor.run(calls, parallel=2).records
        assert first.response.unwrap() == "slept"
        lost(second.response)


def test_what_a_killed_worker_s_tools_started_ends_too(start: Start) -> None:
    with ToolExecutor(start(grace=0.1)) as executor:
        child = executor.call("start_child", {"seconds": 60}).unwrap()
        executor.call("stuck", {})
        assert gone(child)


# Workers that do not start any more -------------------------------------------------------------


def test_a_crash_loop_is_bounded_and_told(start: Start, tmp_path: Path) -> None:
    module = tmp_path / "fading.py"
    module.write_text(
        "import os, pathlib\n"
        "from isonomy import tool\n"
        f"starts = pathlib.Path({str(tmp_path / 'starts')!r})\n"
        "with starts.open('a') as file: file.write('x')\n"
        "if len(starts.read_text()) > 1: raise RuntimeError('worn out')\n"
        "@tool\n"
        "def leave(): os._exit(1)\n",
        encoding="utf-8",
    )
    with ToolExecutor(start("fading", path=[tmp_path])) as executor:
        lost(executor.call("leave", {}))
        error = error_of(executor.call("leave", {}))
        assert (error.kind, error.effect) == (ErrorKind.CONNECTION_LOST, Effect.NONE)
        assert "no worker could be started" in error.message
        assert "RuntimeError: worn out" in error.message
        starts = len((tmp_path / "starts").read_text())
        assert starts <= 5
        for _ in range(50):  # told at once, without a start for each
            assert error_of(executor.call("leave", {})).effect == Effect.NONE
        assert len((tmp_path / "starts").read_text()) <= starts + 2


def test_workers_come_back_when_they_can_be_started_again(start: Start, tmp_path: Path) -> None:
    module, text = tmp_path / "mending.py", "import os\nfrom isonomy import tool\n"
    text += "@tool\ndef leave(): os._exit(1)\n@tool\ndef one(): return 1\n"
    module.write_text(text, encoding="utf-8")
    with ToolExecutor(
        start("mending", path=[tmp_path], env={"PYTHONDONTWRITEBYTECODE": "1"})
    ) as executor:
        module.write_text("broken(", encoding="utf-8")
        lost(executor.call("leave", {}))
        assert error_of(executor.call("one", {})).effect == Effect.NONE
        module.write_text(text, encoding="utf-8")
        ends = time.monotonic() + 20
        while not (response := executor.call("one", {})).is_success:
            assert time.monotonic() < ends, response
            time.sleep(0.1)


# Under load -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_twenty_kills_under_load_lose_no_call_and_answer_none_twice(start: Start) -> None:
    tools = start(workers=2)
    answers: dict[tuple[int, int], list[Any]] = {}
    done = threading.Event()
    with ToolExecutor(tools) as executor:

        def call(caller: int) -> None:
            at = 0
            while not done.is_set():
                at += 1
                number = caller * 1_000_000 + at
                tool, arguments = (
                    ("add", {"a": number, "b": 0}) if at % 3 else ("nap", {"seconds": 0.002})
                )
                answers.setdefault((caller, at), []).append(
                    (tool, number, executor.call(tool, arguments))
                )

        threads = [threading.Thread(target=call, args=(caller,)) for caller in range(8)]
        for thread in threads:
            thread.start()
        for _ in range(20):
            time.sleep(0.15)
            while not (told := executor.call("pid", {})).is_success:
                assert error_of(told).kind == ErrorKind.CONNECTION_LOST
            os.kill(told.unwrap(), signal.SIGKILL)
        done.set()
        for thread in threads:
            thread.join(30)
            assert not thread.is_alive()
    failed = 0
    for answer in answers.values():
        ((tool, number, response),) = answer
        if response.is_success:
            assert response.unwrap() == (number if tool == "add" else "slept")
        else:
            assert error_of(response).kind == ErrorKind.CONNECTION_LOST, response
            failed += 1
    assert 1 <= failed <= 20 * 8
    assert len(answers) > 500


def test_a_worker_that_does_not_read_keeps_nobody_waiting(start: Start) -> None:
    with ToolExecutor(start(grace=0.2)) as executor:
        worker = executor.call("pid").unwrap()
        with ThreadPoolExecutor(2) as callers:
            stuck = callers.submit(executor.call, "keep_the_interpreter", deadline=1)
            long = callers.submit(executor.call, "length", {"text": "x" * 5_000_000}, deadline=1)
            assert error_of(stuck.result(20)).kind == "timeout"
            assert error_of(long.result(20)).kind == "timeout"
            assert gone(worker)
            assert callers.submit(executor.call, "pid").result(20).unwrap() != worker


@pytest.mark.parametrize("breaking", ["break_other_threads", "break_the_loop"])
def test_a_worker_that_cannot_go_on_ends(start: Start, breaking: str) -> None:
    with ToolExecutor(start()) as executor, ThreadPoolExecutor(2) as callers:
        executor.call("nap_async", {"seconds": 0})
        waiting = callers.submit(executor.call, "nap", {"seconds": 60})
        executor.call("nap", {"seconds": 0.1})
        callers.submit(executor.call, breaking).result(20)
        callers.submit(executor.call, "nap_async", {"seconds": 0}).result(20)
        error = error_of(waiting.result(20))
        assert (error.kind, error.effect) == ("connection_lost", "possible")
        assert error.details == {"exit_code": 70}
        assert callers.submit(executor.call, "add", {"a": 1}).result(20).unwrap() == 2


def test_a_callback_that_takes_its_time_keeps_no_other_call_waiting(start: Start) -> None:
    with ToolExecutor(start(grace=30)) as executor, ThreadPoolExecutor(1) as callers:
        worker = executor.call("pid").unwrap()
        late = executor.call("nap_and_sleep_when_cancelled", {"seconds": 1}, deadline=0.3)
        assert error_of(late).kind == "timeout"
        assert callers.submit(executor.call, "pid").result(20).unwrap() == worker


def test_a_host_without_descriptors_gets_its_workers_once_it_has_some(start: Start) -> None:
    with ToolExecutor(start()) as executor, ThreadPoolExecutor(1) as callers:
        worker = executor.call("pid").unwrap()
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        used = max(int(each.name) for each in Path("/proc/self/fd").iterdir())
        taken: list[int] = []
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (used + 7, before[1]))
            with suppress(OSError):
                while True:
                    taken.append(os.open(os.devnull, os.O_RDONLY))
            os.kill(worker, signal.SIGKILL)
            # what a start needs, one by one: as many as the limit leaves in any case
            for left in range(6):
                error = error_of(callers.submit(executor.call, "pid").result(20))
                assert error.kind == "connection_lost", left
                os.close(taken.pop())
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, before)
            for each in taken:
                os.close(each)
        ends = time.monotonic() + 30
        while callers.submit(executor.call, "pid").result(20).error is not None:
            assert time.monotonic() < ends
            time.sleep(0.1)
