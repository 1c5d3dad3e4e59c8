# SPDX-License-Identifier: Apache-2.0
"""Rows about Python tools in worker processes."""

from __future__ import annotations

import json
import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import repeat
from statistics import median
from time import perf_counter
from typing import Any

from bridge_rows import ORDER
from isonomy.bridge.workers.python_workers import WorkerTools, python_tools
from isonomy.contract.call import ToolCall
from isonomy.contract.events import Sink
from isonomy.observe.memory import CAPACITY, MemorySink
from isonomy.observe.metrics import Metrics
from isonomy.runtime.executor import ToolExecutor
from registry import HERE, Effort, Measured, row
from timing import compare

#: What a body of some milliseconds of processor time counts to.
TURNS = 60_000
TOGETHER = 100
MEGABYTE = "x" * 1_000_000
MILLI = 1e3
PREFIX = 4
"""Bytes of the length before each message of a bare echo."""


@row("python-worker", "µs", bar=2.5, reference="bare Unix-socket echo, JSON on both sides")
def worker_call(effort: Effort) -> Measured:
    with _executor() as ours, _echo(lambda data: json.dumps(json.loads(data)).encode()) as bare:

        def figure(turns: int) -> float:
            call = ours.call
            start = perf_counter()
            for _ in repeat(None, turns):
                call("total", ORDER)
            return perf_counter() - start

        def reference(turns: int) -> float:
            start = perf_counter()
            for _ in repeat(None, turns):
                json.loads(bare(json.dumps(ORDER).encode()))
            return perf_counter() - start

        return compare(figure, reference, effort)


@row("payload-1mb", "µs", bar=2, reference="bare Unix-socket echo of the same frames")
def large_payload(effort: Effort) -> Measured:
    arguments = {"text": MEGABYTE}
    message = json.dumps(arguments).encode()
    # Ten thousand events with a megabyte each would measure how memory is given out.
    with _executor(kept=1) as ours, _echo(bytes) as bare:

        def figure(turns: int) -> float:
            call = ours.call
            start = perf_counter()
            for _ in repeat(None, turns):
                call("reflect", arguments)
            return perf_counter() - start

        def reference(turns: int) -> float:
            start = perf_counter()
            for _ in repeat(None, turns):
                bare(message)
            return perf_counter() - start

        return compare(figure, reference, effort)


@row("worker-cpu-2", "calls/s", bar=1.6, at_least=True, reference="one worker")
def two_workers(effort: Effort) -> Measured:
    calls = [ToolCall("count", {"turns": TURNS})] * TOGETHER

    def rate(ours: ToolExecutor) -> float:
        start = perf_counter()
        ours.run(calls, parallel=4)
        return TOGETHER / (perf_counter() - start)

    rates: tuple[list[float], list[float]] = ([], [])
    with _executor(workers=2) as two, _executor() as one:
        sides = (two, one)
        for ours in sides:
            rate(ours)
        for number in range(effort.rounds):
            for side in (0, 1) if number % 2 == 0 else (1, 0):
                rates[side].append(rate(sides[side]))
    ratios = [ours / theirs for ours, theirs in zip(*rates, strict=True)]
    return Measured(median(rates[0]), median(rates[1]), median(ratios))


@row("worker-ready", "ms", bar=250)
def ready(effort: Effort) -> Measured:
    def seconds() -> float:
        start = perf_counter()
        tools = _tools()
        took = perf_counter() - start
        tools.close()
        return took

    return Measured(median(seconds() for _ in range(effort.rounds)) * MILLI)


@row("worker-replaced", "ms", bar=300)
def replaced(effort: Effort) -> Measured:
    with _executor() as ours:

        def seconds() -> float:
            start = perf_counter()
            ours.call("leave", {})
            ours.call("reflect", {"text": "x"}).unwrap()
            return perf_counter() - start

        return Measured(median(seconds() for _ in range(effort.rounds)) * MILLI)


def _tools(workers: int = 1) -> WorkerTools:
    return python_tools("worked", path=[HERE / "worker_tools"], workers=workers)


@contextmanager
def _executor(workers: int = 1, kept: int = CAPACITY) -> Iterator[ToolExecutor]:
    sinks: list[Sink] = [MemorySink(kept), Metrics()]
    with _tools(workers) as tools, ToolExecutor(tools, sinks=sinks) as ours:
        yield ours


# A bare echo ------------------------------------------------------------------------------------


@contextmanager
def _echo(answer: Callable[[bytes], Any]) -> Iterator[Callable[[bytes], bytes]]:
    """Give what sends a message to another process and returns the one that comes back."""
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        ours.close()
        while data := _receive(theirs):
            _send(theirs, answer(data))
        os._exit(0)
    theirs.close()

    def echo(message: bytes) -> bytes:
        _send(ours, message)
        return _receive(ours)

    try:
        yield echo
    finally:
        ours.close()
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _send(connected: socket.socket, message: bytes) -> None:
    connected.sendall(len(message).to_bytes(PREFIX, "big") + message)


def _receive(connected: socket.socket) -> bytes:
    """Receive one message: of a short one all at once."""
    data = connected.recv(65_536)
    if not data:
        return b""
    length = PREFIX + int.from_bytes(data[:PREFIX], "big")
    if len(data) == length:
        return data[PREFIX:]
    whole = bytearray(length)
    whole[: len(data)] = data
    at = len(data)
    view = memoryview(whole)
    while at < length:
        at += connected.recv_into(view[at:])
    return bytes(view[PREFIX:])
