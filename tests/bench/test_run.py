# SPDX-License-Identifier: Apache-2.0
"""The benchmark measures a row and writes results that others can read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

RUN = Path(__file__).resolve().parents[2] / "bench" / "run.py"


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(RUN), *arguments]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env=os.environ | environment,
    )


def test_a_quick_run_writes_well_formed_results(tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    done = run("--quick", "--only", "py-sync-call", "--output", str(results))
    assert done.returncode == 0, done.stderr
    (result,) = json.loads(results.read_text(encoding="utf-8"))
    assert list(result) == ["id", "figure", "unit", "reference", "reference_figure", "ratio"]
    assert (result["id"], result["unit"]) == ("py-sync-call", "µs")
    assert isinstance(result["reference"], str)
    assert 0 < result["reference_figure"] < result["figure"]  # it validates and calls, too
    assert result["ratio"] > 1
    assert "py-sync-call" in done.stdout


def test_an_unknown_row_is_refused_with_the_known_ones() -> None:
    done = run("--only", "py-sync-call,nothing")
    assert done.returncode == 2
    assert "no row named 'nothing'" in done.stderr
    assert "py-sync-call, " in done.stderr


def test_a_row_whose_parts_are_missing_says_so_and_has_no_result(tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    without_java = {"PATH": str(tmp_path), "JAVA_HOME": str(tmp_path)}
    done = run("--quick", "--only", "java-native-call", "--output", str(results), **without_java)
    assert done.returncode == 0, done.stderr
    assert "java-native-call skipped: Java is needed here: no JDK" in done.stdout
    assert json.loads(results.read_text(encoding="utf-8")) == []
