# SPDX-License-Identifier: Apache-2.0
"""Rows about starting and about memory."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
from itertools import repeat
from statistics import median
from typing import Any

import psutil

from isonomy.contract.call import ToolCall
from isonomy.runtime.executor import ToolExecutor
from registry import Effort, Measured, row
from workload import ARGUMENTS, executor

MEGABYTE = 1024 * 1024
CALLS = 1_000_000
WARM_UP = 100_000

_IMPORT = """
from time import perf_counter
start = perf_counter()
import isonomy
print(perf_counter() - start)
"""


@row("import", "s", bar=0.25)
def import_in_a_fresh_interpreter(effort: Effort) -> Measured:
    def once() -> float:
        command = [sys.executable, "-c", _IMPORT]
        said = subprocess.run(command, capture_output=True, text=True, check=True)
        return float(said.stdout)

    once()  # writes the byte code
    return Measured(median(once() for _ in range(effort.rounds)))


@row("rss-million", "MB", bar=5)
def growth_over_a_million_calls(effort: Effort) -> Measured:
    """Measure what stays of calls of all kinds: most succeed in the caller's thread."""
    with executor() as ours, asyncio.Runner() as runner:
        _run(ours, runner, effort.part_of(WARM_UP))
        before = resident()
        _run(ours, runner, effort.part_of(CALLS))
        return Measured((resident() - before) / MEGABYTE)


def resident() -> int:
    """Return the bytes of memory that this process holds, once garbage is collected."""
    gc.collect()
    return int(psutil.Process().memory_info().rss)


def _run(ours: ToolExecutor, runner: asyncio.Runner, calls: int) -> None:
    """Make calls, a thousand at a time."""
    for _ in repeat(None, calls // 1_000):
        _some(ours, "forecast", ARGUMENTS, 850)
        _some(ours, "forecast", {"city": "Ulm"}, 50)  # refused: an argument is missing
        _some(ours, "unavailable", ARGUMENTS, 50)  # raises, with a cause
        for _ in repeat(None, 25):
            ours.call("forecast", ARGUMENTS, deadline=30)
        runner.run(ours.arun([ToolCall("forecast_waiting", ARGUMENTS)] * 25, parallel=5))


def _some(ours: ToolExecutor, tool: str, arguments: dict[str, Any], number: int) -> None:
    call = ours.call
    for _ in repeat(None, number):
        call(tool, arguments)
