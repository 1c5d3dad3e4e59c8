# SPDX-License-Identifier: Apache-2.0
"""Standard streams that are closed, full, or that nobody reads: a sentence, and an exit code."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import COMMAND, HANG, environment

from isonomy.cli.app import main

FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
CLOSED = "stdout is closed, and the output goes there; redirect it to a file\n"


def shell(shop, arguments: str, redirections: str) -> tuple[int, str, str]:
    """Run the command in a shell, which closes and redirects streams."""
    shop.calls(shop.request(("add", {"a": 1}), ("chatty", {"text": "one"})))
    command = [*COMMAND, *arguments.split(" ")]
    done = subprocess.run(
        ["sh", "-c", f'"$@" {redirections}', "sh", *command],
        cwd=shop.folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=HANG,
    )
    return done.returncode, done.stdout, done.stderr


RUN = "run isonomy.yaml calls.jsonl"


def test_everything_closed_and_all_is_written(shop) -> None:
    assert shell(shop, f"{RUN} -o out.jsonl", "<&- >&- 2>&-") == (0, "", "")
    assert [shop.statuses(event) for event in shop.read()] == [["success", "success"]]


@pytest.mark.parametrize("redirection", ["2>&-", pytest.param("2>/dev/full", marks=needs_full)])
def test_without_stderr_the_exit_code_is_the_same(shop, redirection) -> None:
    code, out, _ = shell(shop, 'call isonomy.yaml add {"a":1}', redirection)
    assert (code, json.loads(out)) == (0, {"status": "success", "result": 2})
    code, out, _ = shell(shop, "call isonomy.yaml add {}", redirection)
    assert (code, json.loads(out)["error"]["kind"]) == (1, "invalid_arguments")
    assert shell(shop, "tools none.yaml", redirection) == (2, "", "")


def test_what_tools_print_does_not_come_out_among_the_responses(shop) -> None:
    _, out, _ = shell(shop, RUN, "2>&-")
    (event,) = [json.loads(line) for line in out.splitlines()]
    assert shop.statuses(event) == ["success", "success"]


@pytest.mark.parametrize(
    "arguments",
    [RUN, 'call isonomy.yaml chatty {"text":"one"}', "tools isonomy.yaml", "--version"],
)
def test_a_closed_stdout_is_refused_before_a_call_runs(shop, arguments) -> None:
    assert shell(shop, arguments, ">&-") == (2, "", CLOSED)


def test_a_closed_stdin_is_refused_where_calls_come_from_it(shop) -> None:
    told = "stdin is closed, and the calls come from there; name a file of calls\n"
    assert shell(shop, "run isonomy.yaml -", "<&-") == (2, "", told)
    code, out, _ = shell(shop, RUN, "<&-")
    assert (code, shop.statuses(json.loads(out))) == (0, ["success", "success"])


@needs_full
@pytest.mark.parametrize(
    "arguments", ["run isonomy.yaml -", "tools isonomy.yaml", "--version", "--help"]
)
def test_a_full_stdout_is_told(shop, arguments) -> None:
    shop.calls(shop.request("refuse"))
    code, _, told = shell(shop, arguments, "< calls.jsonl > /dev/full")
    assert code == 1
    assert "No space left on device" in told
    assert told.count("\n") == 1 or arguments.startswith("run")
    assert "Traceback" not in told


@needs_full
def test_nothing_is_left_to_tell(shop) -> None:
    assert shell(shop, RUN, "> /dev/full 2> /dev/full")[0] == 1


def test_a_reader_that_leaves_is_no_error(shop) -> None:
    code, out, told = shell(shop, "tools isonomy.yaml --json", "| head -c 1")
    assert (code, out, told) == (0, "[", "")


def test_a_stream_that_is_there_stays_as_it_is() -> None:
    program = """
import sys
from isonomy.cli.standard import open_missing
before = sys.stdin, sys.stdout, sys.stderr
open_missing()
print(before == (sys.stdin, sys.stdout, sys.stderr))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout == b"True\n"


TOOLS = """
import os, sys
from isonomy import tool

@tool
def none() -> int:
    sys.stdout = sys.stderr = None
    return 1

@tool
def shut() -> int:
    sys.stdout.close()
    sys.stderr.close()
    return 1

@tool
def away() -> int:
    os.close(1)
    os.close(2)
    return 1

@tool
def elsewhere() -> int:
    os.chdir("/")
    return 1
"""


@pytest.mark.parametrize("tool", ["none", "shut", "away", "elsewhere"])
def test_what_tools_do_to_the_streams_harms_nothing(shop, tool) -> None:
    shop.write("odd.py", TOOLS)
    shop.write("isonomy.yaml", "python: [odd]")
    done = shop.process("call", "isonomy.yaml", tool)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {"status": "success", "result": 1}
    shop.calls(shop.request(tool))
    done = shop.process("run", "isonomy.yaml", "calls.jsonl", "-o", "out.jsonl")
    told = "" if tool == "away" else "1 call in 1 request: 1 succeeded, 0 failed\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, "", told)
    assert [shop.statuses(event) for event in shop.read()] == [["success"]]


def test_an_interrupt_before_the_command_is_there_is_no_traceback(monkeypatch, capfd) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("isonomy.cli.app._run", interrupted)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert capfd.readouterr() == ("", "interrupted\n")
