# SPDX-License-Identifier: Apache-2.0
"""`isonomy run --host java`: the same configuration and calls in a Java host."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import sysconfig
import time
import venv
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.java_classes import javac

from isonomy.bridge.machine import JAR
from isonomy.contract.misuse import Misuse
from isonomy.engines.java import JavaHost, JavaSource, PythonSource

pytestmark = pytest.mark.skipif(
    javac() is None or not JAR.is_file(), reason="no JDK or no Java core, so there is no Java host"
)
HANG = 120

TOOLS = """
import time
from typing import Annotated
from isonomy import Injected, ToolContext, ToolResponse, tool

@tool
def greet(name: str, tenant: Annotated[str, Injected()], times: int = 1) -> dict:
    return {"text": f"{tenant}: hello " * times + name, "bytes": b"x"}

@tool
def refuse(why: str, tenant: Annotated[str, Injected()]) -> ToolResponse:
    return ToolResponse.error(f"{why} for {tenant}", code="NO", details={"why": why})

@tool
async def fail(text: str) -> None:
    print("something for people")
    raise RuntimeError(text) from KeyError("k")

@tool
def nap(seconds: float) -> str:
    time.sleep(seconds)
    return "rested"

@tool
def hidden() -> None: ...
"""
CONFIG = """
python:
- {module: shop, only: [greet, refuse, fail, nap]}
java:
- java.lang.Math#floorMod(long,long)
- {method: "java.time.LocalDate#parse(CharSequence)", name: read_date, parameters: [text]}
inject:
  tenant: {value: tenant-0417}
limits:
  max_result_bytes: 1000
"""
CALLS: list[tuple[str, Any]] = [
    ("greet", {"name": "Ada"}),
    ("greet", {"name": "Ada", "times": 500}),
    ("greet", {"name": "Ada", "times": "2"}),
    ("greet", {"name": "Ada", "tenant": "mine"}),
    ("greet", '{"name": "A", "name": "B"}'),
    ("refuse", {"why": "closed"}),
    ("fail", {"text": "for tenant-0417"}),
    ("read_date", {"text": "2024-02-29"}),
    ("read_date", {"text": "2023-02-29"}),
    ("Math_floorMod", "[1]"),
    ("hidden", {}),
    ("nap", {"seconds": 0}),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shop.py").write_text(TOOLS, encoding="utf-8")
    (tmp_path / "isonomy.yaml").write_text(CONFIG, encoding="utf-8")
    calls = [{"call_id": str(at), "tool": t, "arguments": a} for at, (t, a) in enumerate(CALLS)]
    lines = [
        json.dumps({"event": "tool_request", "id": "one", "calls": calls}),
        "no request",
        json.dumps({"event": "tool_request", "id": "two", "calls": calls[:1]}),
    ]
    (tmp_path / "calls.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path


def command(folder: Path, *options: str) -> list[str]:
    paths = [str(folder / "isonomy.yaml"), str(folder / "calls.jsonl")]
    return [sys.executable, "-m", "isonomy.cli", "run", *paths, *options]


def run(folder: Path, *options: str) -> tuple[int, list[Any], str]:
    done = subprocess.run(
        command(folder, *options), capture_output=True, text=True, timeout=HANG, check=False
    )
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def compared(lines: list[Any]) -> list[Any]:
    """Leave out times, traces, and the language of errors that a host makes (clause 4.11)."""
    for line in lines:
        for record in line.get("records", ()):
            record.pop("started_at")
            record.pop("duration_us")
            error = record["response"].get("error", {})
            error.pop("trace", None)
            if error.get("kind") not in {"tool_error", "exception"}:
                error.pop("language", None)
    return lines


def told(said: str) -> list[str]:
    """Give what the command says: tools print to the same stream, from other processes too."""
    return [line for line in said.splitlines() if line != "something for people"]


@pytest.mark.parametrize(
    "options",
    [
        (),
        pytest.param(("--parallel", "4"), marks=pytest.mark.slow),
        pytest.param(("--fail-fast",), marks=pytest.mark.slow),
    ],
)
def test_both_hosts_give_the_same(folder: Path, options: tuple[str, ...]) -> None:
    code, in_python, said = run(folder, *options)
    code_, in_java, said_ = run(folder, "--host", "java", *options)
    assert compared(in_java) == compared(in_python)
    assert (code_, told(said_)) == (code, told(said))
    kinds = [record["response"].get("error", {}).get("kind") for record in in_java[0]["records"]]
    assert kinds[:3] == (
        [None, "too_large", "not_run"] if options == ("--fail-fast",)
        else [None, "too_large", "invalid_arguments"]
    )  # fmt: skip


def test_a_deadline_holds_there(folder: Path) -> None:
    call = {"tool": "nap", "arguments": {"seconds": 60}}
    request = {"event": "tool_request", "calls": [call]}
    (folder / "calls.jsonl").write_text(json.dumps(request), encoding="utf-8")
    _, lines, _ = run(folder, "--host", "java", "--deadline", "0.5")
    assert lines[0]["records"][0]["response"]["error"]["kind"] == "timeout"


def test_what_a_java_host_cannot_have_is_said_as_ever(folder: Path) -> None:
    config = folder / "isonomy.yaml"
    config.write_text(config.read_text().replace("floorMod", "floorMood"), encoding="utf-8")
    code, lines, said = run(folder, "--host", "java")
    assert (code, lines) == (2, [])
    assert "isonomy.yaml:5: java[0] cannot be used:" in said
    assert "floorMood" in said


RISKY = """
import os
import sys
from isonomy import tool

@tool
def {leave}() -> None:
    os._exit(0)

@tool
def {which}() -> list:
    return [os.getpid(), sys.prefix]
"""


def test_an_isolated_module_takes_no_other_along(folder: Path) -> None:
    """In a Java host too it has workers, and an interpreter, of its own."""
    (folder / "risky.py").write_text(RISKY.format(leave="leave", which="risky_in"))
    (folder / "other.py").write_text(RISKY.format(leave="other_leave", which="other_in"))
    (folder / "plain.py").write_text(RISKY.format(leave="plain_leave", which="plain_in"))
    venv.create(folder / "env", symlinks=True, system_site_packages=True)
    # A .pth file has one folder a line: what is installed here is there too.
    (site_packages(folder / "env") / "more.pth").write_text("\n".join(filter(None, sys.path)))
    (folder / "isonomy.yaml").write_text(
        "python:\n"
        "- {module: risky, only: [leave, risky_in], isolate: process}\n"
        "- {module: other, isolate: process, interpreter: ./env/bin/python}\n"
        "- plain\n"
    )
    names = ["plain_in", "risky_in", "other_in", "leave", "plain_in", "risky_in", "other_in"]
    calls = [{"tool": name, "arguments": {}} for name in names]
    request = json.dumps({"event": "tool_request", "calls": calls})
    (folder / "calls.jsonl").write_text(request, encoding="utf-8")
    code, lines, said = run(folder, "--host", "java")
    assert code == 0, said
    responses = [record["response"] for record in lines[0]["records"]]
    assert responses[3]["error"]["kind"] == "connection_lost"
    plain, risky, other, _, plain_again, risky_again, other_again = (
        each.get("result") for each in responses
    )
    assert len({plain[0], risky[0], other[0]}) == 3
    assert plain_again == plain
    assert other_again == other
    assert risky_again[0] != risky[0]
    assert other[1] == str(folder / "env")
    assert risky[1] == plain[1] == sys.prefix


def site_packages(environment: Path) -> Path:
    return Path(sysconfig.get_path("purelib", "venv", {"base": str(environment)}))


def test_an_isolated_class_is_told_that_the_host_has_it(folder: Path) -> None:
    (folder / "isonomy.yaml").write_text(
        'java:\n- {method: "java.lang.Math#abs(int)", parameters: [n], isolate: process}\n'
    )
    call = {"tool": "Math_abs", "arguments": {"n": -1}}
    request = json.dumps({"event": "tool_request", "calls": [call]})
    (folder / "calls.jsonl").write_text(request, encoding="utf-8")
    code, lines, said = run(folder, "--host", "java")
    assert code == 0, said
    assert lines[0]["records"][0]["response"]["result"] == 1
    assert "isonomy.yaml:2: java[0].isolate is for a Python host" in said


def test_a_host_that_a_tool_ends_is_told(folder: Path) -> None:
    config = folder / "isonomy.yaml"
    exits = '- {method: "java.lang.System#exit(int)", name: leave, parameters: [code]}'
    config.write_text(
        config.read_text(encoding="utf-8").replace("java:", f"java:\n{exits}"), encoding="utf-8"
    )
    calls = (
        {"tool": "nap", "arguments": {"seconds": 0}},
        {"tool": "leave", "arguments": {"code": 5}},
    )
    (folder / "calls.jsonl").write_text(
        "".join(json.dumps({"event": "tool_request", "calls": [call]}) + "\n" for call in calls),
        encoding="utf-8",
    )
    code, lines, said = run(folder, "--host", "java")
    assert (code, len(lines)) == (1, 1)
    told = "the Java host ended (exit code 5); stopped after 1 call in 1 request: "
    assert said.splitlines()[-1] == f"{told}1 succeeded, 0 failed"


def test_ctrl_c_ends_the_host_and_its_workers(folder: Path) -> None:
    call = {"tool": "nap", "arguments": {"seconds": 60}}
    request = {"event": "tool_request", "calls": [call]}
    (folder / "calls.jsonl").write_text(json.dumps(request), encoding="utf-8")
    with subprocess.Popen(
        command(folder, "--host", "java"), stderr=subprocess.PIPE, text=True
    ) as process:
        family = psutil.Process(process.pid)
        began = time.monotonic()
        while not any("isonomy.worker" in part for each in family.children(recursive=True)
                      for part in each.cmdline()):  # fmt: skip
            assert time.monotonic() - began < HANG
            os.sched_yield()
        children = family.children(recursive=True)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=HANG)
    assert process.returncode == 130
    assert "interrupted" in said
    _, alive = psutil.wait_procs(children, timeout=HANG)
    assert alive == []


def test_python_tools_that_cannot_be_had_are_a_sentence() -> None:
    python = PythonSource(["no_such_module"], [], sys.executable)
    with pytest.raises(Misuse, match="the module 'no_such_module' cannot be imported"):
        JavaHost([], python=[python])


def test_java_tools_that_cannot_be_had_are_a_sentence() -> None:
    with pytest.raises(Misuse, match=r"com\.acme\.Nowhere"):
        JavaHost([JavaSource("com.acme.Nowhere")])
