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
from isonomy.matrix import tools
from isonomy.observe.memory import MemorySink
from isonomy.observe.metrics import Metrics
from isonomy.runtime.executor import ToolExecutor

HANG = 120
SOURCES = ROOT.parents[1] / "java" / "isonomy" / "src" / "main" / "java"
needs_java = pytest.mark.skipif(
    javac() is None or not JAR.is_file(), reason="no JDK or no Java core, so there is no Java host"
)


@each("matrix")
def test_python_tools_end_as_their_names_say(case: Case) -> None:
    name = f"python_{case.id.replace('-', '_')}"
    expected = case["metrics"]
    for parallel in (1, 2):
        memory, metrics = MemorySink(), Metrics()
        with ToolExecutor([tools], sinks=[memory, metrics]) as executor:
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
    assert cells == {False: 32, True: 64}
    places = Counter((c["host"], c["tool"], c["mode"]) for c in matrix["cells"])
    assert set(places.values()) == {12}
    assert len(places) == 8


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
    source = (SOURCES / "dev/isonomy/contract/Mapping.java").read_text(encoding="utf-8")
    rule = "new ToolFailure(ofException(raised.error()))"
    assert rule in source
    wrong = source.replace(rule, "ToolResponse.success(raised.error().message())")
    file = tmp_path / "dev/isonomy/contract/Mapping.java"
    file.parent.mkdir(parents=True)
    file.write_text(wrong, encoding="utf-8")
    compiler = javac()
    assert compiler is not None
    subprocess.run([compiler, "-cp", str(JAR), "-d", str(tmp_path), str(file)], check=True)
    patched = tmp_path / "isonomy.jar"
    shutil.copyfile(JAR, patched)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the second entry of a name is the one that counts
        with zipfile.ZipFile(patched, "a") as jar:
            for made in sorted(tmp_path.rglob("Mapping*.class")):
                jar.write(made, made.relative_to(tmp_path))
    program = f"""
from pathlib import Path
import isonomy.bridge.machine as machine
import isonomy.engines.java as engine
machine.JAR = engine.JAR = Path({str(patched)!r})
"""
    code, matrix = run_matrix(program=program)
    assert code == 1
    assert {host for host, _, _ in disagreeing(matrix)} == {"java"}
    assert {outcome for _, _, outcome in disagreeing(matrix)} == {"exception"}
    said = [problem for cell in matrix["cells"] for problem in cell["problems"]]
    assert any(re.search(r"response\.status is 'success', not 'failure'", each) for each in said)
