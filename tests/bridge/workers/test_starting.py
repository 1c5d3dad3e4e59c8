# SPDX-License-Identifier: Apache-2.0
"""Workers that cannot be started say which interpreter, which module, and why, in bounded time."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.bridge.workers.conftest import HERE, Start

from isonomy import Misuse, ToolExecutor
from isonomy.bridge.workers.python_workers import WorkerUnavailable, python_tools

MISSING = "; give its folder as path, or install it into this Python"
WHO = f"the worker of {sys.executable} for "


def refused(start: Start, *modules: str, **options: Any) -> WorkerUnavailable:
    with pytest.raises(WorkerUnavailable) as raised:
        start(*modules, **options)
    return raised.value


def write(folder: Path, text: str) -> Path:
    (folder / "made.py").write_text(text, encoding="utf-8")
    return folder


def test_a_module_that_is_not_there(start: Start) -> None:
    told = refused(start, "no_such_module")
    assert str(told) == (
        f"{WHO}no_such_module is not ready: the module 'no_such_module' cannot be imported:"
        " ModuleNotFoundError: No module named 'no_such_module'" + MISSING
    )


@pytest.mark.parametrize(
    ("text", "why", "line"),
    [
        ("\nimport no_such_module\n", "ModuleNotFoundError: No module named 'no_such_module'", 2),
        ("\n\nx = (\n", "SyntaxError: '(' was never closed (made.py, line 3)", 3),
        ("raise SystemExit(4)", "SystemExit: 4", 1),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", 1),
        ("def f():\n    1 / 0\nf()", "ZeroDivisionError: division by zero", 2),
        ("import os\nos.environ['NOT_SET']", "KeyError: 'NOT_SET'", 2),
        (
            "import json\n\njson.loads('x')",
            "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
            3,
        ),
    ],
)
def test_a_module_that_cannot_be_imported(
    start: Start, tmp_path: Path, text: str, why: str, line: int
) -> None:
    told = refused(start, "made", path=[write(tmp_path, text)])
    place = f"({tmp_path / 'made.py'}:{line})"
    remedy = MISSING if "ModuleNotFound" in why else ""
    what = f"{WHO}made is not ready: the module 'made' cannot be imported: "
    assert str(told) == f"{what}{why} {place}{remedy}"
    (trace,) = told.__notes__
    assert "made.py" in trace


def test_a_module_without_tools(start: Start, tmp_path: Path) -> None:
    told = refused(start, "made", path=[write(tmp_path, "x = 1")])
    assert "module 'made' gives no tools: mark its functions with @tool" in str(told)


def test_a_module_that_ends_the_process(start: Start, tmp_path: Path) -> None:
    told = refused(start, "made", path=[write(tmp_path, "import os; os._exit(5)")])
    assert str(told) == f"{WHO}made ended at its start (exit code 5)"
    write(tmp_path, "import ctypes; ctypes.string_at(0)")
    told = refused(start, "made", path=[tmp_path])
    assert str(told) == f"{WHO}made ended at its start (signal SIGSEGV)"


def test_a_module_that_takes_too_long(start: Start, tmp_path: Path) -> None:
    write(tmp_path, "import time; time.sleep(60)")
    began = time.monotonic()
    told = refused(start, "made", path=[tmp_path], start_timeout=1.5)
    assert time.monotonic() - began < 10
    assert str(told).startswith(f"{WHO}made was not ready within 1.5 seconds;")


def test_a_module_may_print_log_and_close_streams_while_it_is_imported(
    start: Start, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(
        tmp_path,
        "import os, sys\n"
        "print('x' * 1_000_000)\n"
        "os.close(1); os.close(0)\n"
        "from isonomy import tool\n"
        "@tool\n"
        "def one(): return 1\n",
    )
    with ToolExecutor(start("made", path=[tmp_path])) as executor:
        assert executor.call("one", {}).unwrap() == 1


def test_an_interpreter_that_is_not_there(start: Start) -> None:
    told = refused(start, "made", python="/no/such/python")
    assert str(told) == (
        "the worker of /no/such/python for made cannot be started: /no/such/python:"
        " No such file or directory; name another program"
    )


def test_a_program_that_is_no_interpreter(start: Start) -> None:
    told = refused(start, "made", python="false")
    assert "false for made ended before it began (exit code 1)" in str(told)


def test_an_interpreter_without_isonomy(start: Start, tmp_path: Path) -> None:
    import venv

    venv.create(tmp_path / "bare", with_pip=False)
    python = tmp_path / "bare" / "bin" / "python"
    told = refused(start, "made", python=python)
    assert str(told).startswith(
        f"the worker of {python} for made ended before it began (exit code 1)"
    )
    assert str(told).endswith(
        "No module named 'isonomy'; install isonomy into this Python, or name one that has it"
    )
    assert str(refused(start, "made", python=tmp_path / "bare")) == str(told)


def test_a_working_directory_that_is_not_there(start: Start, tmp_path: Path) -> None:
    told = refused(start, "made", cwd=tmp_path / "nowhere")
    assert f"its working directory {tmp_path / 'nowhere'} is no folder" in str(told)


def test_a_file_in_the_working_directory_stands_in_for_nothing(
    start: Start, tmp_path: Path
) -> None:
    (tmp_path / "socket.py").write_text("raise RuntimeError('not this one')", encoding="utf-8")
    with ToolExecutor(start(cwd=tmp_path)) as executor:
        assert executor.call("add", {"a": 1}).unwrap() == 2


def test_a_worker_imports_from_where_its_host_does(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "from isonomy import tool\n@tool\ndef one(): return 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert [tool.name for tool in start("made", path=())] == ["one"]


def test_several_workers_start_and_fail_together(start: Start, tmp_path: Path) -> None:
    told = refused(start, "made", workers=3, path=[write(tmp_path, "1 / 0")])
    assert "ZeroDivisionError" in str(told)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((), {}, "was given no module"),
        ((3,), {}, "takes names of modules as texts, got 3"),
        (("made",), {"workers": 0}, "the number of workers is at least 1, got 0"),
        (("made",), {"calls_per_worker": 0}, "calls_per_worker is at least 1"),
        (("made",), {"grace": -1}, "grace is a number of seconds"),
        (("made",), {"start_timeout": 0}, "start_timeout is a positive number"),
        (("made",), {"max_frame": 10}, "max_frame is 65,536 bytes to 4 GiB"),
        (("made",), {"env": {"A": 1}}, "env maps texts to texts, got 'A' with a int"),
        (("made",), {"env": {"A=B": "1"}}, "env has 'A=B', which no process can be given"),
        (("made",), {"env": {"A": "1\0"}}, "env has 'A', which no process can be given"),
    ],
)
def test_misuse_is_told(arguments: Any, options: Any, message: str) -> None:
    with pytest.raises(Misuse, match=message):
        python_tools(*arguments, **options)


def test_a_program_that_no_process_can_be_given(start: Start) -> None:
    unavailable = refused(start, "hard_tools", python="a\0b")
    assert "cannot be started: ValueError: embedded null" in str(unavailable)


def test_a_host_without_a_standard_error_has_workers() -> None:
    program = (
        "from isonomy import python_tools, ToolExecutor\n"
        f"with python_tools('hard_tools', path=[{str(HERE)!r}]) as tools:\n"
        "    with ToolExecutor(tools) as executor:\n"
        "        executor.call('print_much', {'megabytes': 1}).unwrap()\n"
        "        assert executor.call('add', {'a': 1}).unwrap() == 2\n"
    )
    closed = 'exec "$0" -c "$1" 0<&- 1>&- 2>&-'
    command = ["/bin/sh", "-c", closed, sys.executable, program]
    assert subprocess.run(command, timeout=60, check=False).returncode == 0


def test_single_tools_of_a_module(start: Start, tmp_path: Path) -> None:
    text = "from isonomy import tool\n" + "".join(
        f"@tool\ndef {name}() -> str:\n    return {name!r}\n" for name in ("one", "two", "three")
    )
    tools = start("made#three", "made#one", path=[write(tmp_path, text)])
    assert [tool.name for tool in tools] == ["three", "one"]
    with ToolExecutor(tools) as executor:
        assert executor.call("one").unwrap() == "one"


def test_a_tool_that_its_module_does_not_have(start: Start, tmp_path: Path) -> None:
    text = "from isonomy import tool\n@tool\ndef one() -> None: ...\n"
    told = refused(start, "made#two", path=[write(tmp_path, text)])
    assert str(told) == f"{WHO}made#two is not ready: the module 'made' has no tool 'two'"
