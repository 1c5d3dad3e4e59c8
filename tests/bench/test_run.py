# SPDX-License-Identifier: Apache-2.0
"""The benchmark measures a row and writes results that others can read."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

RUN = Path(__file__).resolve().parents[2] / "bench" / "run.py"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(RUN), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


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
