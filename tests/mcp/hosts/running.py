# SPDX-License-Identifier: Apache-2.0
"""Hosts of an MCP server's tools as processes, one for each language, that are spoken to alike.

The first line that a host reads is an object with the settings of `mcp_server`. It answers with
`{"tools": [[name, description, schema]...]}` or `{"unavailable": why}`. Each further line is a
call, `{"id", "tool", "arguments", "deadline"}`, all of which run at once, each on a thread of its
own; the answer is `{"id", "response", "progress", "seconds"}`, with the last 100 steps of its
progress, before which `{"moves": id}` tells of the first. At the end of its input it closes
what it has and says `{"closed": true}`.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Final

from isonomy.bridge.machine import JAR

HERE: Final = Path(__file__).parent
HANG: Final = 25.0
"""Seconds after which a host that says nothing hangs."""
HEAP: Final = "-Xmx320m"


class Unavailable(Exception):  # noqa: N818 - it says what is not there
    """The host says that the server cannot be reached."""


class Answer(Future[dict[str, Any]]):
    """What a call comes to: `response`, `progress` and `seconds`."""

    def __init__(self) -> None:
        super().__init__()
        self.moves = threading.Event()
        """Set by the call's first progress."""


class Host:
    """A host's process.

    Args:
        command: What starts it.
        settings: Those of `mcp_server`; the name is "server" when left out.
    """

    def __init__(self, command: Sequence[str], settings: Mapping[str, Any]) -> None:
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115
        self.process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            encoding="utf-8",
        )
        self._ids = itertools.count()
        self._answers: dict[str, Answer] = {}
        self._started: Future[dict[str, Any]] = Future()
        self._writing = threading.Lock()
        self._closed = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._write({"name": "server", **settings})
        told = self._started.result(HANG)
        if "tools" not in told:
            self.close()
            raise Unavailable(told["unavailable"])
        #: The tools by their names: what is said of each, and its schema.
        self.tools: dict[str, tuple[str, Any]] = {
            name: (description, schema) for name, description, schema in told["tools"]
        }

    def submit(self, tool: str, arguments: Any = None, *, deadline: float | None = None) -> Answer:
        """Begin a call."""
        number = str(next(self._ids))
        self._answers[number] = answer = Answer()
        call = {"id": number, "tool": tool, "arguments": arguments or {}, "deadline": deadline}
        self._write(call)
        return answer

    def answer(
        self, tool: str, arguments: Any = None, *, deadline: float | None = None
    ) -> dict[str, Any]:
        """Call a tool and give the answer."""
        return self.submit(tool, arguments, deadline=deadline).result(HANG)

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Call a tool and give the response."""
        response: dict[str, Any] = self.answer(tool, arguments)["response"]
        return response

    def result(self, tool: str, /, **arguments: Any) -> Any:
        """Call a tool and give the result of its success."""
        response = self.call(tool, **arguments)
        assert response["status"] == "success", response
        return response["result"]

    def error(self, tool: str, /, **arguments: Any) -> Any:
        """Call a tool and give the error of its failure."""
        response = self.call(tool, **arguments)
        assert response["status"] == "failure", response
        return response["error"]

    def forget_memory(self) -> None:
        """Let `most_memory` count from now on."""
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5", encoding="ascii")

    def most_memory(self) -> int:
        """Give the most bytes of memory that the process has had, since it was asked to forget."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024

    def told(self) -> str:
        """Give what it wrote to its standard error."""
        self._errors.seek(0)
        return self._errors.read()

    def close(self) -> None:
        """End its input, and wait until it has ended by itself."""
        if self._closed:
            return
        self._closed = True
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            self.process.wait(HANG)
        finally:
            self.kill()

    def kill(self) -> None:
        """End the process, whatever it does."""
        self.process.kill()
        self.process.wait()
        self._reader.join(HANG)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self._errors.close()

    def _write(self, message: Any) -> None:
        assert self.process.stdin is not None
        with self._writing:
            self.process.stdin.write(json.dumps(message) + "\n")
            self.process.stdin.flush()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            told = json.loads(line)
            if "id" in told:
                self._answers.pop(told["id"]).set_result(told)
            elif "moves" in told:
                self._answers[told["moves"]].moves.set()
            elif "closed" not in told:
                self._started.set_result(told)
        ended = RuntimeError("the host has ended")
        for answer in [self._started, *self._answers.values()]:
            if not answer.done():
                answer.set_exception(ended)


def python_host() -> list[str]:
    """Give what starts the host in Python."""
    return [sys.executable, str(HERE / "python_host.py")]


def java_host(java: str, classes: Path) -> list[str]:
    """Give what starts the host in Java, whose class is in that folder."""
    return [java, HEAP, "-cp", os.pathsep.join([str(JAR), str(classes)]), "McpHost"]
