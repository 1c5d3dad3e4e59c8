# SPDX-License-Identifier: Apache-2.0
"""Rows about starting and about memory."""

from __future__ import annotations

import gc
import subprocess
import sys
from itertools import repeat
from statistics import median

import psutil

from isonomy.runtime.executor import ToolExecutor
from registry import Effort, Measured, row
from workload import ARGUMENTS, executor

MEGABYTE = 1024 * 1024
CALLS = 1_000_000
WARM_UP = 100_000
#: Of so many calls one has arguments that are refused, and one a body that raises.
FAILING = 20

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
    """Measure what stays of calls, most of which succeed and some of which fail both ways."""
    with executor() as ours:
        _run(ours, effort.part_of(WARM_UP))
        before = resident()
        _run(ours, effort.part_of(CALLS))
        return Measured((resident() - before) / MEGABYTE)


def resident() -> int:
    """Return the bytes of memory that this process holds, once garbage is collected."""
    gc.collect()
    return int(psutil.Process().memory_info().rss)


def _run(ours: ToolExecutor, calls: int) -> None:
    call = ours.call
    refused = {"city": "Ulm"}
    for _ in repeat(None, max(1, calls // FAILING)):
        for _ in range(FAILING - 2):
            call("forecast", ARGUMENTS)
        call("forecast", refused)
        call("unavailable", ARGUMENTS)
