# SPDX-License-Identifier: Apache-2.0
"""Rows about MCP servers: our calls, and those of the official client of the same server."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from itertools import repeat
from statistics import median
from time import perf_counter
from typing import IO, Any, cast

from isonomy.contract.call import ToolCall
from isonomy.mcp.server import McpServer, mcp_server
from isonomy.observe.memory import MemorySink
from isonomy.observe.metrics import Metrics
from isonomy.runtime.executor import ToolExecutor
from registry import ROOT, Effort, Measured, Missing, row
from timing import Loop, compare

SCRIPTED = [sys.executable, str(ROOT / "tests" / "mcp" / "scripted.py")]
TOOL = "text"
NAP = 0.5
MILLI = 1e3


@row("mcp-stdio", "µs", bar=1.10, reference="the official client's call of the same server")
def by_stdio(effort: Effort) -> Measured:
    with (
        _log() as log,
        _Official(command=[*SCRIPTED, log]) as official,
        mcp_server([*SCRIPTED, log]) as server,
        _executor(server) as ours,
    ):
        return compare(_calls(ours), official.calls, effort)


@row("mcp-http", "µs", bar=1.10, reference="the official client's call of the same server")
def by_http(effort: Effort) -> Measured:
    with (
        _log() as log,
        _http(log) as url,
        _Official(url=url) as official,
        mcp_server(url=url) as server,
        _executor(server) as ours,
    ):
        return compare(_calls(ours), official.calls, effort)


@row("mcp-layer", "µs", bar=60)
def layer(effort: Effort) -> Measured:
    with (
        _log() as log,
        _bare([*SCRIPTED, log]) as bare,
        mcp_server([*SCRIPTED, log]) as server,
        _executor(server) as ours,
    ):
        both = compare(_calls(ours), bare, effort)
    return Measured(both.figure - (both.reference_figure or 0))


@row("mcp-parallel-50", "ms", bar=1.3, reference="the slowest call")
def side_by_side(effort: Effort) -> Measured:
    calls = [ToolCall("slow", {"seconds": NAP})] * 50
    with _log() as log, mcp_server([*SCRIPTED, log]) as server, _executor(server) as ours:
        times = []
        for _ in range(max(3, effort.rounds // 5)):
            start = perf_counter()
            ours.run(calls, parallel=50)
            times.append(perf_counter() - start)
    return Measured(median(times) * MILLI, NAP * MILLI, median(times) / NAP)


def _executor(server: McpServer) -> ToolExecutor:
    return ToolExecutor(server, sinks=[MemorySink(), Metrics()])


def _calls(executor: ToolExecutor) -> Loop:
    def loop(turns: int) -> float:
        call = executor.call
        start = perf_counter()
        for _ in repeat(None, turns):
            call(TOOL, {})
        return perf_counter() - start

    return loop


class _Official:
    """The client of the package `mcp`, on a loop in a thread of its own."""

    def __init__(self, command: list[str] | None = None, url: str | None = None) -> None:
        try:
            import mcp  # noqa: F401 - whether it is there
        except ModuleNotFoundError as missing:
            raise Missing("the package mcp is not installed; `make bench` installs it") from missing
        self._command, self._url = command, url
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._session: Any = None
        self._stop = asyncio.Event()

    def __enter__(self) -> _Official:
        threading.Thread(target=self._run, daemon=True).start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)

    def _run(self) -> None:
        self._loop.run_until_complete(self._live())

    async def _live(self) -> None:
        async with self._opened() as session:
            self._session = session
            self._ready.set()
            await self._stop.wait()

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[Any]:
        from mcp.client.stdio import stdio_client
        from mcp.client.streamable_http import streamable_http_client

        from mcp import ClientSession, StdioServerParameters

        async with AsyncExitStack() as stack:
            if self._command is not None:
                program, *rest = self._command
                parameters = StdioServerParameters(command=program, args=rest)
                streams: Any = await stack.enter_async_context(stdio_client(parameters))
            else:
                streams = await stack.enter_async_context(streamable_http_client(str(self._url)))
            session = await stack.enter_async_context(ClientSession(streams[0], streams[1]))
            await session.initialize()
            yield session

    def calls(self, turns: int) -> float:
        async def loop() -> float:
            call = self._session.call_tool
            start = perf_counter()
            for _ in repeat(None, turns):
                await call(TOOL, {})
            return perf_counter() - start

        return asyncio.run_coroutine_threadsafe(loop(), self._loop).result()


@contextmanager
def _bare(command: list[str]) -> Iterator[Loop]:
    """Give calls by hand: a line of JSON there, and one back."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        there, back = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)

        def loop(turns: int) -> float:
            params = {"name": TOOL, "arguments": {}}
            start = perf_counter()
            for number in range(1, turns + 1):
                message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
                there.write(json.dumps(message).encode() + b"\n")
                there.flush()
                json.loads(back.readline())
            return perf_counter() - start

        yield loop
        there.close()


@contextmanager
def _http(log: str) -> Iterator[str]:
    command = [*SCRIPTED, log, "http"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        port = int(cast("IO[str]", process.stdout).readline())
        yield f"http://127.0.0.1:{port}/mcp"
        process.kill()


@contextmanager
def _log() -> Iterator[str]:
    with tempfile.NamedTemporaryFile() as file:
        yield file.name
