# SPDX-License-Identifier: Apache-2.0
"""The live matrix: green as it is, red where a mapping rule is broken in either language."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import warnings
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.expected import check_response
from tests.java_classes import javac
from tests.vectors import ROOT, Case, each

from isonomy.bridge.machine import JAR
from isonomy.contract.call import ToolCall
from isonomy.matrix import mcp_server as server_program
from isonomy.matrix import tools
from isonomy.matrix.cases import outcomes
from isonomy.matrix.hosts import mcp_servers
from isonomy.mcp import mcp_server
from isonomy.observe.memory import MemorySink
from isonomy.observe.metrics import Metrics
from isonomy.runtime.executor import ToolExecutor

HANG = 120
SOURCES = ROOT.parents[1] / "java" / "isonomy" / "src" / "main" / "java"
needs_java = pytest.mark.skipif(
    javac() is None or not JAR.is_file(), reason="no JDK or no Java core, so there is no Java host"
)


def is_of_mcp(case: Case) -> bool:
    return bool(case.get("language") == "mcp")


@each("matrix", lambda case: not is_of_mcp(case))
def test_python_tools_end_as_their_names_say(case: Case) -> None:
    check_case(case, f"python_{case.id.replace('-', '_')}", [tools])


@each("matrix", is_of_mcp)
def test_mcp_tools_end_as_their_names_say(case: Case) -> None:
    for settings in mcp_servers(outcomes()):
        name = f"mcp_{case.id.replace('-', '_')}"
        if name in (settings.tools or ()):
            with mcp_server(**settings.arguments()) as server:
                check_case(case, name, list(server))
            return
    pytest.fail("no server has its tool")


def check_case(case: Case, name: str, sources: list[Any]) -> None:
    expected = case["metrics"]
    for parallel in (1, 2):
        memory, metrics = MemorySink(), Metrics()
        with ToolExecutor(sources, sinks=[memory, metrics]) as executor:
            calls = [ToolCall(name, {"amount": 7, "together": parallel})] * 2
            event = executor.run(calls, parallel=parallel)
        for record in event.records:
            check_response(record.response, case["response"])
            types = [each.type for each in memory.executions if each.position == record.position]
            assert types == case["events"]
        counted = {(key.status, key.kind): n for key, n in metrics.snapshot().calls.items()}
        assert counted == {(expected["status"], expected["kind"]): 2}


def run_matrix(program: str = "") -> tuple[int, Any]:
    """Run the command, behind some code where given, and return its exit code and its JSON."""
    code = f"import sys\n{program}\nfrom isonomy.cli.app import main\nmain()"
    done = subprocess.run(
        [sys.executable, "-c", code, "matrix", "--json"],
        stdout=subprocess.PIPE,
        timeout=HANG,
        check=False,
    )
    return done.returncode, json.loads(done.stdout)


def disagreeing(matrix: Any) -> set[tuple[str, str, str]]:
    return {
        (cell["host"], cell["tool"], cell["outcome"])
        for cell in matrix["cells"]
        if not cell["agrees"]
    }


@needs_java
def test_the_matrix_is_green() -> None:
    code, matrix = run_matrix()
    problems = [problem for cell in matrix["cells"] for problem in cell["problems"]]
    assert problems == []
    assert (code, matrix["agrees"]) == (0, True)
    cells = Counter(cell["is_control"] for cell in matrix["cells"])
    assert cells == {False: 48, True: 64}
    places = Counter((c["host"], c["tool"], c["mode"]) for c in matrix["cells"])
    own = {place: number for place, number in places.items() if place[1] != "mcp"}
    assert set(own.values()) == {12}
    assert len(own) == 8
    assert set(places.items() - own.items()) == {
        ((host, "mcp", mode), 4)
        for host in ("python", "java")
        for mode in ("sequential", "parallel")
    }


@needs_java
def test_a_rule_broken_in_python_turns_it_red() -> None:
    """Clause 1.5: here a payload decides."""
    program = """
import isonomy.runtime.funnel as funnel
from isonomy.contract.error import ErrorKind, ToolError
from isonomy.contract.response import ToolFailure
right = funnel.to_response
def wrong(outcome):
    response = right(outcome)
    if response.is_success and response.result == {"isError": True}:
        return ToolFailure(ToolError(ErrorKind.TOOL_ERROR, "it says so"))
    return response
funnel.to_response = wrong
"""
    code, matrix = run_matrix(program=program)
    assert code == 1
    red = disagreeing(matrix)
    assert red == {("python", "python", "is error true"), ("python", "java", "is error true")}


@needs_java
def test_a_rule_broken_in_java_turns_it_red(tmp_path: Path) -> None:
    """Clause 3.4: here what is thrown is a success with the message."""
    rule = "new ToolFailure(ofException(raised.error()))"
    wrong = "ToolResponse.success(raised.error().message())"
    jar = broken_jar(tmp_path, {"contract/Mapping": (rule, wrong)})
    code, matrix = run_matrix(with_jar(jar))
    assert code == 1
    assert {host for host, _, _ in disagreeing(matrix)} == {"java"}
    assert {outcome for _, _, outcome in disagreeing(matrix)} == {"exception"}
    said = [problem for cell in matrix["cells"] for problem in cell["problems"]]
    assert any(re.search(r"response\.status is 'success', not 'failure'", each) for each in said)


@needs_java
def test_rules_of_mcp_broken_in_python_turn_it_red() -> None:
    """Each row sees its own rule: 14.2 (a text is parsed), 14.1, 14.7 and 14.11."""
    program = """
import dataclasses
import isonomy.runtime.funnel as funnel
from isonomy.contract.error import Effect, ErrorKind, ToolError
from isonomy.contract.response import ToolFailure, ToolSuccess
right = funnel.to_response
def wrong(outcome):
    response = right(outcome)
    if response.is_success and any("Error" in str(each.fields) for each in response.content):
        return ToolFailure(ToolError(ErrorKind.TOOL_ERROR, "it says so"), response.content)
    error = response.error
    if error is None or error.language != "mcp":
        return response
    if error.kind is ErrorKind.TOOL_ERROR:
        return ToolSuccess(error.details, response.content, response.meta)
    if error.kind is ErrorKind.PROTOCOL:
        return ToolFailure(dataclasses.replace(error, details=None))
    return ToolFailure(dataclasses.replace(error, effect=Effect.NONE))
funnel.to_response = wrong
"""
    code, matrix = run_matrix(program)
    assert code == 1
    assert_told(
        matrix,
        "python",
        {
            "success": "response.status is 'failure', not 'success'",
            "is error": "response.status is 'success', not 'failure'",
            "json rpc error": "response.error.details is missing",
            "server killed": "response.error.effect is 'none', not 'possible'",
        },
    )


@needs_java
def test_rules_of_mcp_broken_in_java_turn_it_red(tmp_path: Path) -> None:
    """Clauses 14.1 and 14.11: no result is a failure, and of a signal nothing is told."""
    broken = {
        "mcp/Replies": ("Boolean.TRUE.equals(isError)", "isError == Boolean.TYPE"),
        "contract/ProcessEnd": ('Map.of("signal", signal)', 'Map.of("exit_code", 9L)'),
    }
    code, matrix = run_matrix(with_jar(broken_jar(tmp_path, broken)))
    assert code == 1
    assert_told(
        matrix,
        "java",
        {
            "is error": "response.status is 'success', not 'failure'",
            "server killed": "response.error.details.signal is missing",
        },
    )


@needs_java
def test_calls_of_one_session_that_do_not_run_side_by_side_turn_it_red(tmp_path: Path) -> None:
    """Here the host runs a parallel batch in order, so that the calls never meet in the server."""
    quick = tmp_path / "quick.py"
    source = Path(server_program.__file__).read_text(encoding="utf-8")
    quick.write_text(source.replace("_LIMIT_SECONDS: Final = 20", "_LIMIT_SECONDS: Final = 1"))
    program = f"""
import isonomy.cli.matrix as command
import isonomy.matrix.hosts as hosts
import isonomy.matrix.mcp_server as server
server.__file__ = {str(quick)!r}
everything = command.outcomes
command.outcomes = lambda: [case for case in everything() if case.name == "is_error"]
command.controls = lambda: []
command.java_host = hosts.PythonHost
run = hosts.PythonHost.run
hosts.PythonHost.run = lambda self, request, *, parallel: run(self, request, parallel=1)
"""
    code, matrix = run_matrix(program)
    assert code == 1
    agreeing = {(cell["mode"], cell["agrees"]) for cell in matrix["cells"]}
    assert agreeing == {("sequential", True), ("parallel", False)}
    assert "ended (signal SIGALRM)" in "\n".join(matrix["cells"][1]["problems"])


def assert_told(matrix: Any, host: str, told: dict[str, str]) -> None:
    """Check that these outcomes of MCP tools are red in one host, and why, and no others."""
    assert disagreeing(matrix) == {(host, "mcp", outcome) for outcome in told}
    for cell in matrix["cells"]:
        if cell["problems"]:
            assert told[cell["outcome"]] in "\n".join(cell["problems"])


def broken_jar(folder: Path, broken: dict[str, tuple[str, str]]) -> Path:
    """Make a core in which a rule of each of these classes is replaced by a wrong one."""
    files = []
    for name, (rule, wrong) in broken.items():
        source = (SOURCES / f"dev/isonomy/{name}.java").read_text(encoding="utf-8")
        assert rule in source
        file = folder / f"dev/isonomy/{name}.java"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source.replace(rule, wrong), encoding="utf-8")
        files.append(str(file))
    compiler = javac()
    assert compiler is not None
    subprocess.run([compiler, "-cp", str(JAR), "-d", str(folder), *files], check=True)
    patched = folder / "isonomy.jar"
    shutil.copyfile(JAR, patched)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the second entry of a name is the one that counts
        with zipfile.ZipFile(patched, "a") as jar:
            for made in sorted(folder.rglob("*.class")):
                jar.write(made, made.relative_to(folder))
    return patched


def with_jar(jar: Path) -> str:
    return f"""
from pathlib import Path
import isonomy.bridge.machine as machine
import isonomy.engines.java as engine
machine.JAR = engine.JAR = Path({str(jar)!r})
"""
