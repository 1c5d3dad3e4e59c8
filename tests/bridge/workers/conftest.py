# SPDX-License-Identifier: Apache-2.0
"""Workers for tests: real processes, ended with the test."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from isonomy import ToolError, ToolExecutor, ToolResponse
from isonomy.bridge.workers.python_workers import WorkerTools, python_tools

HERE = Path(__file__).parent

Start = Callable[..., WorkerTools]


@pytest.fixture
def start() -> Iterator[Start]:
    """Give what starts workers of the hard tools."""
    started = []

    def start(*modules: str, **options: Any) -> WorkerTools:
        options.setdefault("path", [HERE])
        started.append(python_tools(*(modules or ("hard_tools",)), **options))
        return started[-1]

    yield start
    for tools in started:
        tools.close(0)


@pytest.fixture
def executor(start: Start) -> Iterator[ToolExecutor]:
    """An executor of the hard tools with one worker."""
    with ToolExecutor(start(), inject={"tenant": "t-1"}) as made:
        yield made


def error_of(response: ToolResponse) -> ToolError:
    """Give the error of a response that must be a failure."""
    assert response.error is not None, response
    return response.error


def gone(pid: int, within: float = 10.0) -> bool:
    """Tell whether a process ends within some seconds; one that nobody reaped has ended.

    The first thread of a process may have ended before the others.
    """
    ends = time.monotonic() + within
    while time.monotonic() < ends:
        try:
            process = psutil.Process(pid)
            if process.status() == psutil.STATUS_ZOMBIE and process.num_threads() <= 1:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.01)
    return False
