# SPDX-License-Identifier: Apache-2.0
"""A host in Python of one MCP server's tools, told what to do by lines of JSON: see `hosts.py`."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from isonomy import ToolExecutor
from isonomy.mcp import McpUnavailable, mcp_server

MOST_STEPS = 100
_PRINTING = threading.Lock()


def say(**fields: Any) -> None:
    with _PRINTING:
        sys.stdout.write(json.dumps(fields) + "\n")
        sys.stdout.flush()


class Steps:
    """A sink that keeps the progress of each call."""

    def __init__(self) -> None:
        self.of: dict[str, deque[Any]] = {}
        self._moving: set[str] = set()

    def emit(self, event: Any) -> None:
        told = getattr(event, "progress", None)
        if told is not None:
            step = [told.progress, told.total, told.message]
            self.of.setdefault(event.call_id, deque(maxlen=MOST_STEPS)).append(step)
            if event.call_id not in self._moving:
                self._moving.add(event.call_id)
                say(moves=event.call_id)


def call(executor: ToolExecutor, steps: Steps, asked: dict[str, Any]) -> None:
    began = time.monotonic()
    response = executor.call(
        asked["tool"], asked["arguments"], call_id=asked["id"], deadline=asked["deadline"]
    )
    seconds = time.monotonic() - began
    executor.flush(10)
    progress = list(steps.of.get(asked["id"], []))
    say(id=asked["id"], response=response.to_wire(), progress=progress, seconds=seconds)


def main() -> None:
    settings = json.loads(sys.stdin.readline())
    try:
        server = mcp_server(**settings)
    except McpUnavailable as unavailable:
        say(unavailable=str(unavailable))
        return
    steps = Steps()
    with ToolExecutor(server, sinks=[steps]) as executor, ThreadPoolExecutor(64) as threads, server:
        say(tools=[[tool.name, tool.description, tool.input_schema] for tool in server])
        for line in sys.stdin:
            threads.submit(call, executor, steps, json.loads(line))
    say(closed=True)


if __name__ == "__main__":
    main()
