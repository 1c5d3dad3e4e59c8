# SPDX-License-Identifier: Apache-2.0
"""Tools for workers whose host is written out; workers import this, no test does."""

from __future__ import annotations

import time
from typing import Annotated

from isonomy import Injected, ToolContext, tool


@tool(version="2", max_parallel=3, deadline=1.5)
def told(a: int, tenant: Annotated[str, Injected("customer", identity=True)] = "") -> int:
    """Tell everything."""
    return a


@tool
def add(a: int, b: int) -> int:
    return a + b


@tool
def nap(seconds: float) -> str:
    time.sleep(seconds)
    return "slept"


@tool
def wait(context: ToolContext) -> str:
    while not context.cancelled:
        time.sleep(0.005)
    return "cancelled"


@tool
def large(characters: int) -> str:
    return "x" * characters
