# SPDX-License-Identifier: Apache-2.0
"""Scripted servers, by their standard streams and by HTTP."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from isonomy.mcp import McpServer, mcp_server
from isonomy.runtime.executor import ToolExecutor
from tests.mcp.hosts.fixtures import host_command, java_host_classes, language, start_host

__all__ = ["host_command", "java_host_classes", "language", "start_host"]

SCRIPTED = Path(__file__).with_name("scripted.py")


class Scripted:
    """A scripted server, its client, and what the server was sent."""

    def __init__(self, log: Path, server: McpServer, process: Any = None) -> None:
        self.server = server
        self.process = process
        self.executor = ToolExecutor(server)
        self._log = log

    def call(self, tool: str, *, deadline: float | None = None, **arguments: Any) -> Any:
        return self.executor.call(tool, arguments, deadline=deadline)

    def pid(self) -> int:
        """Give the process of the server that started last."""
        notes = map(json.loads, self._log.read_text(encoding="utf-8").splitlines())
        return [int(note["pid"]) for note in notes if "pid" in note][-1]

    def notes(self, kind: str) -> list[dict[str, Any]]:
        """Give what the server wrote down of a kind, such as `headers` or `closed`, in order."""
        notes = map(json.loads, self._log.read_text(encoding="utf-8").splitlines())
        return [note for note in notes if kind in note]

    def sent(self, method: str, name: str | None = None) -> list[dict[str, Any]]:
        """Give the messages of a method (and for a tool) that the server got, in order."""
        notes = map(json.loads, self._log.read_text(encoding="utf-8").splitlines())
        messages = [note["message"] for note in notes if "message" in note]
        return [
            each
            for each in messages
            if each.get("method") == method and name in (None, each["params"].get("name"))
        ]


Start = Callable[..., Scripted]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Give what starts scripted servers, `by` "stdio" or "http"."""
    started: list[Scripted] = []
    processes: list[subprocess.Popen[str]] = []

    def begin(by: str = "stdio", env: dict[str, str] | None = None, **options: Any) -> Scripted:
        log = tmp_path / f"log{len(started)}"
        log.touch()
        command = [sys.executable, str(SCRIPTED), str(log)]
        if by == "stdio":
            made = Scripted(log, mcp_server(command, name="scripted", env=env, **options))
        else:
            process = subprocess.Popen(
                [*command, "http"], stdout=subprocess.PIPE, text=True, env=env
            )
            processes.append(process)
            assert process.stdout is not None
            url = f"http://127.0.0.1:{int(process.stdout.readline())}/mcp"
            made = Scripted(log, mcp_server(url=url, name="scripted", **options), process)
        started.append(made)
        return made

    yield begin
    for each in started:
        each.executor.close()
        each.server.close()
    for process in processes:
        process.kill()
        process.communicate()
