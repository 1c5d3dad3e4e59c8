# SPDX-License-Identifier: Apache-2.0
"""How workers end: with `close`, with their host however that ends, and after forks."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.bridge.workers.conftest import HERE, Start, error_of, gone

from isonomy import ToolCall, ToolExecutor
from isonomy.bridge.workers.python_workers import python_tools
from isonomy.contract.error import Effect, ErrorKind

PRELUDE = f"""
import os, signal, sys, threading, time
from isonomy import ToolExecutor
from isonomy.bridge.workers.python_workers import python_tools
tools = python_tools("hard_tools", path=[{str(HERE)!r}], workers=WORKERS)
executor = ToolExecutor(tools)
print(*{{executor.call("pid", {{}}).unwrap() for _ in range(20)}}, flush=True)
"""


def host(text: str, workers: int = 1) -> tuple[subprocess.Popen[str], list[int]]:
    """Start a host and give the processes of its workers."""
    code = PRELUDE.replace("WORKERS", str(workers)) + text
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    line = process.stdout.readline()
    return process, [int(pid) for pid in line.split()]


def end(process: subprocess.Popen[str]) -> str:
    out, _ = process.communicate(timeout=60)
    return out


def test_close_ends_idle_workers_in_order(start: Start) -> None:
    tools = start(workers=2)
    with ToolExecutor(tools) as executor:
        pids = [child.pid for child in psutil.Process().children()]
        assert len(pids) >= 2
        tools.close()
        assert all(gone(pid) for pid in pids)
        error = error_of(executor.call("add", {"a": 1}))
    assert (error.kind, error.effect) == (ErrorKind.INTERNAL, Effect.NONE)
    assert error.message == "the workers of this tool were closed and take no calls"
    tools.close()


def test_close_runs_what_a_module_registered_for_the_end(start: Start, tmp_path: Path) -> None:
    (tmp_path / "tidy.py").write_text(
        "import atexit, pathlib\nfrom isonomy import tool\n"
        f"atexit.register(pathlib.Path({str(tmp_path / 'done')!r}).touch)\n"
        "@tool\ndef one(): return 1\n",
        encoding="utf-8",
    )
    start("tidy", path=[tmp_path]).close(20)
    assert (tmp_path / "done").exists()


def test_close_lets_calls_end_that_end_in_time(start: Start) -> None:
    tools = start(grace=20)
    with ToolExecutor(tools) as executor:
        executor.call("add", {"a": 1})
        answers: list[Any] = []
        calls = [ToolCall("nap", {"seconds": 1}), ToolCall("nap_async", {"seconds": 1})]
        calling = threading.Thread(
            target=lambda: answers.extend(executor.run(calls, parallel=2).records)
        )
        calling.start()
        time.sleep(0.3)
        tools.close()
        calling.join(20)
    assert [answer.response.unwrap() for answer in answers] == ["slept", "slept"]


def test_close_is_bounded_with_calls_in_flight(start: Start) -> None:
    tools = start(grace=0.3)
    with ToolExecutor(tools) as executor:
        pid = executor.call("pid", {}).unwrap()
        answers: list[Any] = []
        calls = [ToolCall("nap", {"seconds": 60}), ToolCall("nap_async", {"seconds": 60})]
        calling = threading.Thread(
            target=lambda: answers.extend(executor.run(calls, parallel=2).records)
        )
        calling.start()
        time.sleep(0.5)
        began = time.monotonic()
        tools.close()
        assert time.monotonic() - began < 5
        calling.join(10)
    kinds = [error_of(answer.response).kind for answer in answers]
    assert kinds == [ErrorKind.CONNECTION_LOST] * 2
    assert gone(pid)


def test_threads_and_processes_are_gone_after_close(start: Start) -> None:
    for _ in range(3):
        tools = start(workers=2)
        with ToolExecutor(tools) as executor:
            executor.run([ToolCall("nap", {"seconds": 0.1})] * 8, parallel=8)
        tools.close()
    ends = time.monotonic() + 10
    while names := [one.name for one in threading.enumerate() if "worker" in one.name]:
        assert time.monotonic() < ends, names
        time.sleep(0.05)


def test_workers_whose_tools_nobody_has_any_more_end() -> None:
    before = {child.pid for child in psutil.Process().children()}
    tools = python_tools("hard_tools", path=[HERE])
    (pid,) = {child.pid for child in psutil.Process().children()} - before
    del tools
    gc.collect()
    assert gone(pid)


# The end of the host ----------------------------------------------------------------------------


def test_workers_end_with_a_host_that_ends() -> None:
    process, pids = host("", workers=2)
    assert end(process) == ""
    assert process.returncode == 0
    assert all(gone(pid) for pid in pids)


def test_a_host_ends_in_time_with_calls_in_flight() -> None:
    process, pids = host(
        """
for tool in ("nap", "nap_async"):
    threading.Thread(target=executor.call, args=(tool, {"seconds": 60}), daemon=True).start()
time.sleep(0.5)
"""
    )
    began = time.monotonic()
    end(process)
    assert process.returncode == 0
    assert time.monotonic() - began < 15
    assert all(gone(pid) for pid in pids)


@pytest.mark.parametrize(
    "arguments",
    ["'spin', {'seconds': 60}", "'nap_async', {'seconds': 60}", "'keep_the_interpreter', {}"],
)
def test_workers_end_with_a_host_that_is_killed(arguments: str) -> None:
    process, pids = host(f"executor.call({arguments})", workers=2)
    assert pids
    time.sleep(0.5)
    process.kill()
    assert all(gone(pid) for pid in pids)
    end(process)


def test_workers_end_with_a_host_that_leaves_at_once() -> None:
    process, pids = host("os._exit(3)")
    assert all(gone(pid) for pid in pids)
    end(process)


def test_a_worker_that_imports_ends_with_its_host(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(
        "import os, pathlib, time\n"
        f"pathlib.Path({str(tmp_path / 'pid')!r}).write_text(str(os.getpid()))\n"
        "time.sleep(60)\n",
        encoding="utf-8",
    )
    code = (
        "from isonomy.bridge.workers.python_workers import python_tools\n"
        f"python_tools('slow', path=[{str(tmp_path)!r}])\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code])
    ends = time.monotonic() + 20
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        assert time.monotonic() < ends
        time.sleep(0.02)
    pid = int((tmp_path / "pid").read_text())
    process.kill()
    process.wait()
    assert gone(pid)


def test_ctrl_c_ends_the_wait_at_once_and_the_worker_goes_on() -> None:
    process, pids = host(
        """
print("waits", flush=True)
try:
    executor.call("nap", {"seconds": 1.5})
except KeyboardInterrupt:
    print("interrupted", executor.call("pid", {}).unwrap(), flush=True)
"""
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "waits\n"
    time.sleep(0.3)
    began = time.monotonic()
    # As a terminal does: to the host's whole group. Workers are in groups of their own.
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == f"interrupted {pids[0]}\n"
    assert time.monotonic() - began < 1.2
    end(process)


@pytest.mark.slow
def test_ctrl_c_at_any_moment_leaves_the_connection_whole_or_replaces_the_worker() -> None:
    process, _ = host(
        """
interrupted = answered = 0
armed = False
def hear(number, frame):
    global armed
    if armed:
        armed = False
        raise KeyboardInterrupt
signal.signal(signal.SIGINT, hear)
def interrupt():
    while interrupted < 300:
        time.sleep(0.001 * (interrupted % 13))
        os.kill(os.getpid(), signal.SIGINT)
beside = []
def other():
    while interrupted < 300:
        response = executor.call("add", {"a": 5})
        beside.append(response.unwrap() if response.is_success else response.error.kind)
threads = [threading.Thread(target=interrupt), threading.Thread(target=other)]
for thread in threads:
    thread.start()
number = 0
while interrupted < 300:
    number += 1
    try:
        armed = True
        response = executor.call("add", {"a": number})
        armed = False
    except KeyboardInterrupt:
        interrupted += 1
        continue
    if response.is_success:
        assert response.unwrap() == number + 1, (number, response)
        answered += 1
    else:
        assert response.error.kind == "connection_lost", response
for thread in threads:
    thread.join(30)
assert set(beside) <= {6, "connection_lost"}, set(beside)
print(interrupted >= 300, answered > 10, len(beside) > 10, executor.call("add", {"a": 1}).error)
"""
    )
    out, _ = process.communicate(timeout=120)
    assert out == "True True True None\n"


# Forks ------------------------------------------------------------------------------------------


def test_a_forked_host_gets_workers_of_its_own() -> None:
    process, pids = host(
        """
child = os.fork()
if child == 0:
    print("child", executor.call("pid", {}).unwrap(), flush=True)
    os._exit(0)
os.waitpid(child, 0)
print("parent", executor.call("pid", {}).unwrap(), flush=True)
"""
    )
    lines = dict(line.split() for line in end(process).splitlines())
    assert int(lines["parent"]) == pids[0]
    assert int(lines["child"]) != pids[0]
    assert gone(int(lines["child"]))


def test_a_forked_host_that_drops_the_tools_ends_its_own_workers_only() -> None:
    process, pids = host(
        """
import gc
child = os.fork()
if child == 0:
    print("child", executor.call("pid", {}).unwrap(), flush=True)
    executor.close()
    del executor, tools
    gc.collect()
    time.sleep(60)
    os._exit(0)
print("forked", child, flush=True)
time.sleep(60)
"""
    )
    assert process.stdout is not None
    lines = dict(process.stdout.readline().split() for _ in range(2))
    assert gone(int(lines["child"]))
    assert all(map(psutil.pid_exists, pids))
    os.kill(int(lines["forked"]), signal.SIGKILL)
    process.kill()
    end(process)


def test_a_forked_child_does_not_keep_the_workers_of_its_parent_alive() -> None:
    process, pids = host(
        """
child = os.fork()
if child == 0:
    time.sleep(60)
    os._exit(0)
print(child, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    )
    assert process.stdout is not None
    child = int(process.stdout.readline())
    assert all(gone(pid) for pid in pids)
    os.kill(child, signal.SIGKILL)
    end(process)
