# SPDX-License-Identifier: Apache-2.0
"""What a terminal shows while a request runs: how far its calls are, by what their tools tell."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import COMMAND, HANG
from tests.java_classes import javac

from isonomy.bridge.machine import JAR
from isonomy.cli.progress import Underway

SCRIPTED = Path(__file__).parents[1] / "mcp" / "scripted.py"
needs_java = pytest.mark.skipif(
    javac() is None or not JAR.is_file(), reason="no JDK or no Java core, so there is no Java host"
)


def event(kind: str, position: int, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "position": position, "tool": "fetch", **fields}


def test_the_share_of_a_request() -> None:
    underway, shares = Underway(), []
    underway.shown_by(lambda: shares.append((underway.share, underway.told)))
    underway.begin(4)
    underway.take(event("started", 0))
    underway.take(event("progress", 0, progress=1, total=2, message="half\nof it"))
    underway.take(event("progress", 0, progress=0.5, total=2))
    underway.take(event("progress", 1, progress=7))
    underway.take(event("finished", 0))
    underway.take(event("failed", 1))
    underway.take(event("progress", 2, progress=9, total=3, message="x" * 50))
    assert shares == [
        (0.125, "fetch 1/2 half of it"),
        (0.125, "fetch 0.5/2"),
        (0.125, "fetch 7"),
        (0.25, "fetch 7"),
        (0.5, "fetch 7"),
        (0.75, "fetch 9/3 " + "x" * 29 + "…"),
    ]
    underway.begin(0)
    assert (underway.share, underway.told) == (0.0, "")


@pytest.mark.parametrize("host", ["python", pytest.param("java", marks=needs_java)])
def test_what_a_server_tells_is_shown(tmp_path: Path, host: str) -> None:
    server = {"name": "s", "command": [sys.executable, str(SCRIPTED), "log"]}
    (tmp_path / "isonomy.yaml").write_text(json.dumps({"mcp": [server]}))
    # The second call gives the terminal the time to show what the first has told.
    calls = [{"tool": "progress"}, {"tool": "slow", "arguments": {"seconds": 1}}]
    (tmp_path / "calls.jsonl").write_text(json.dumps({"event": "tool_request", "calls": calls}))
    ours, theirs = pty.openpty()
    command = [*COMMAND, "run", "isonomy.yaml", "calls.jsonl", "-o", "out", "--host", host]
    environment = {**os.environ, "COLUMNS": "120", "TERM": "xterm"}
    process = subprocess.Popen(command, cwd=tmp_path, stderr=theirs, env=environment)
    os.close(theirs)
    shown = b""
    try:
        while read := os.read(ours, 4096):
            shown += read
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    assert process.wait(HANG) == 0
    assert b"progress 3/3 step 3" in shown
    assert b"2 calls in 1 request: 2 succeeded, 0 failed" in shown
