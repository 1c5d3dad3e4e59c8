# SPDX-License-Identifier: Apache-2.0
"""The command with tools in processes of their own."""

import json
import subprocess
import sys
from pathlib import Path

from tests.cli.conftest import COMMAND, HANG

TOOLS = """
import os
from isonomy import tool

@tool
def add(a: int, b: int = 1) -> int:
    print("adding")
    return a + b

@tool
def leave() -> None:
    os._exit(0)
"""


def run(tmp_path: Path, config: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    (tmp_path / "risky.py").write_text(TOOLS)
    (tmp_path / "isonomy.yaml").write_text(config)
    command, name = arguments[0], arguments[1:]
    return subprocess.run(
        [*COMMAND, command, str(tmp_path / "isonomy.yaml"), *name],
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
    )


def test_a_tool_that_ends_its_process_fails_its_call_only(tmp_path: Path) -> None:
    calls = [{"call_id": name, "tool": name, "arguments": {}} for name in ("leave", "leave")]
    calls.append({"call_id": "add", "tool": "add", "arguments": {"a": 1}})
    request = {"event": "tool_request", "id": "r", "calls": calls}
    (tmp_path / "calls.jsonl").write_text(json.dumps(request))
    config = (
        f"python: [{{module: risky, isolate: process, workers: 2, interpreter: {sys.executable}}}]"
    )
    done = run(tmp_path, config, "run", str(tmp_path / "calls.jsonl"))
    assert done.returncode == 0, done.stderr
    first, second, third = json.loads(done.stdout)["records"]
    assert first["response"]["error"]["kind"] == "connection_lost"
    assert second["response"]["error"]["kind"] == "connection_lost"
    assert third["response"] == {"status": "success", "result": 2}
    assert "adding" in done.stderr


def test_only_some_tools_of_a_module_may_be_taken(tmp_path: Path) -> None:
    done = run(tmp_path, "python: [{module: risky, isolate: process, only: [add]}]", "tools")
    assert done.returncode == 0, done.stderr
    assert "add" in done.stdout
    assert "leave" not in done.stdout


def test_a_module_that_workers_cannot_import_is_told_with_its_line(tmp_path: Path) -> None:
    done = run(tmp_path, "python:\n- {module: nowhere, isolate: process}", "tools")
    assert done.returncode == 2
    assert "isonomy.yaml:2: python[0] cannot be used: the worker of " in done.stderr
    assert "ModuleNotFoundError: No module named 'nowhere'" in done.stderr
