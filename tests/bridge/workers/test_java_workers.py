# SPDX-License-Identifier: Apache-2.0
"""Java tools in JVMs of their own, for a Python host: `java_tools(..., isolate="process")`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.bridge.test_vectors import JAVA, PATHS, each
from tests.bridge.workers.conftest import error_of, gone
from tests.expected import check_response
from tests.vectors import Case

from isonomy import JavaMethod, Misuse, ToolCall, ToolExecutor, java_tools
from isonomy.bridge.workers.unavailable import WorkerUnavailable
from isonomy.bridge.workers.worker_tools import WorkerTools
from isonomy.contract.error import Effect, ErrorKind
from isonomy.tools.tool import Tool


def start(classes: Path, *names: str, **options: Any) -> WorkerTools:
    specs = [f"com.acme.{name}" for name in names]
    tools = java_tools(*specs, classpath=classes, isolate="process", **options)
    assert isinstance(tools, WorkerTools)
    return tools


@pytest.fixture(scope="module")
def tools(classes: Path) -> Iterator[WorkerTools]:
    """Workers of most tools; they are replaced where a test ends one."""
    with start(classes, "Prices", "Lethal", "Waiting", "Behaving", grace=0.5) as made:
        yield made


@pytest.fixture
def executor(tools: WorkerTools) -> Iterator[ToolExecutor]:
    with ToolExecutor(tools, inject={"tenant": "t-1", "limit": 5}) as made:
        yield made


def worker() -> int:
    """Give the process of the one Java worker."""
    (pid,) = [one.pid for one in psutil.Process().children() if "java" in one.name()]
    return pid


def test_outcomes_are_those_of_java_tools(executor: ToolExecutor) -> None:
    assert executor.call("later", {"number": 3}).unwrap() == 33
    error = error_of(executor.call("fail", {"message": "gone"}))
    assert (error.kind, error.type, error.language) == (
        "exception",
        "java.lang.IllegalStateException",
        "java",
    )
    assert [cause.message for cause in error.causes] == ["level 1", "level 2", "level 3"]
    assert error.trace is not None
    assert "com.acme.Prices.fail" in error.trace
    error = error_of(executor.call("parse", {"number": 3}))
    assert (error.kind, error.effect) == ("invalid_arguments", "none")


def test_a_tool_that_ends_its_jvm_ends_its_worker_only(executor: ToolExecutor) -> None:
    for code in (0, 3):
        error = error_of(executor.call("exit", {"code": code}))
        assert (error.kind, error.effect) == (ErrorKind.CONNECTION_LOST, Effect.POSSIBLE)
        # A JVM's stream ends before the JVM does: on a busy machine longer than a host waits.
        ways = (f"exit code {code}", "the connection broke")
        assert error.message in [f"the worker ended ({way})" for way in ways]
        assert executor.call("later", {"number": 4}).unwrap() == 25


def test_errors_of_the_jvm_fail_their_call_only(executor: ToolExecutor) -> None:
    executor.call("later", {"number": 4})
    before = worker()
    for tool, type_ in (
        ("overflow", "java.lang.StackOverflowError"),
        ("outOfMemory", "java.lang.OutOfMemoryError"),
        ("noClass", "java.lang.NoClassDefFoundError"),
    ):
        assert error_of(executor.call(tool, {})).type == type_
    assert executor.call("nullPointers", {"count": 100_000}).is_success
    assert worker() == before


def test_a_killed_worker_is_replaced(executor: ToolExecutor) -> None:
    executor.call("later", {"number": 4})
    pid = worker()
    os.kill(pid, signal.SIGKILL)
    assert gone(pid)
    assert executor.call("later", {"number": 4}).unwrap() == 25


def test_a_deadline_interrupts_a_body_and_leaves_its_worker(executor: ToolExecutor) -> None:
    executor.call("later", {"number": 4})
    before = worker()
    assert error_of(executor.call("await", {"gate": "never"}, deadline=0.3)).kind == "timeout"
    time.sleep(1)
    assert executor.call("later", {"number": 4}).unwrap() == 25
    assert worker() == before


def test_a_deaf_body_loses_its_worker(executor: ToolExecutor, tmp_path: Path) -> None:
    executor.call("later", {"number": 4})
    before = worker()
    arguments = {"gate": "never", "file": str(tmp_path / "told")}
    assert error_of(executor.call("deaf", arguments, deadline=0.3)).kind == "timeout"
    assert gone(before)
    assert executor.call("later", {"number": 4}).unwrap() == 25


def test_calls_run_side_by_side(executor: ToolExecutor) -> None:
    calls = [ToolCall("await", {"gate": "shared"}) for _ in range(8)]
    calls.append(ToolCall("open", {"gate": "shared"}))
    responses = executor.run(calls, parallel=9).responses
    assert [response.unwrap() for response in responses] == ["opened"] * 8 + [None]


@each("mapping")
def test_mapping(tools: list[Tool], case: Case) -> None:
    call = ToolCall("behave", {"tool": json.dumps(case["tool"])})
    with ToolExecutor(tools, inject={}, **case.get("options", {})) as executor:
        for path in PATHS:
            for response in path(executor, call):
                check_response(response, case["response"], JAVA)
    assert not case.unread()


# Starting ---------------------------------------------------------------------------------------


def test_a_class_that_is_not_there_is_told(classes: Path) -> None:
    with pytest.raises(WorkerUnavailable) as raised:
        start(classes, "Nowhere")
    assert "for com.acme.Nowhere is not ready: " in str(raised.value)
    assert "bin/java" in str(raised.value)


def test_options_that_the_jvm_refuses_are_told(classes: Path) -> None:
    with pytest.raises(WorkerUnavailable) as raised:
        start(classes, "Prices", options=["-XX:+NoSuchOption"])
    assert "ended before it began (exit code 1): " in str(raised.value)
    assert "Unrecognized VM option 'NoSuchOption'" in str(raised.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"isolate": "thread"}, "isolates by 'process' only, got 'thread'"),
        ({"workers": 2}, "workers=... is for tools in workers; give isolate='process'"),
        ({"isolate": "process", "options": "-Xmx1g"}, r"are a list of texts; give \['-Xmx1g'\]"),
        ({"isolate": "process", "options": ["-cp", "x"]}, "is about the class path"),
    ],
)
def test_misuse_is_told(classes: Path, options: Any, message: str) -> None:
    with pytest.raises(Misuse, match=message):
        java_tools("com.acme.Prices", classpath=classes, **options)


def test_a_host_with_java_workers_has_no_jvm_and_leaves_none_behind(classes: Path) -> None:
    code = (
        "import os, signal, sys\n"
        "from isonomy import ToolExecutor, java_tools\n"
        f"tools = java_tools('com.acme.Prices', classpath={str(classes)!r}, isolate='process')\n"
        "print(ToolExecutor(tools).call('later', {'number': 4}).unwrap())\n"
        "print('jpype' in sys.modules, *{worker.process.pid for worker in tools._pool._all})\n"
        "sys.stdout.flush()\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    value, told = done.stdout.splitlines()
    has_jpype, pid = told.split()
    assert (value, has_jpype) == ("25", "False")
    assert gone(int(pid))


def test_a_worker_has_methods_of_any_library_under_names_of_their_own() -> None:
    parse = JavaMethod(
        "java.time.LocalDate#parse(CharSequence)", "read_date", "Read a date.", ["text"]
    )
    tools = java_tools(parse, "java.lang.Math#floorMod(long,long)", isolate="process")
    with tools, ToolExecutor(tools) as executor:  # type: ignore[attr-defined]
        assert [(tool.name, tool.description) for tool in tools] == [
            ("read_date", "Read a date."),
            ("Math_floorMod", ""),
        ]
        assert executor.call("read_date", {"text": "2024-02-29"}).unwrap() == date(2024, 2, 29)
        error = error_of(executor.call("read_date", {"text": "2023-02-29"}))
        assert (error.kind, error.type) == (
            ErrorKind.EXCEPTION,
            "java.time.format.DateTimeParseException",
        )
