# SPDX-License-Identifier: Apache-2.0
"""Tools that tests of a Java host call."""

from __future__ import annotations

import asyncio
import ctypes
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Annotated, Any

from isonomy import Injected, ToolContext, ToolFailed, ToolResponse, tool


@tool
def echo(value: Any) -> Any:
    """Give back what came."""
    return value


@tool(name="add", description="Add two integers.", version="2", max_parallel=3, deadline=20)
def add(first: int, second: int = 1) -> int:
    return first + second


@tool
def tenant(tenant: Annotated[str, Injected("tenant_id")], suffix: str) -> str:
    return f"{tenant}-{suffix}"


@tool
def pid() -> int:
    return os.getpid()


@tool
def environment(name: str) -> list[str | None]:
    return [os.environ.get(name), str(Path.cwd()), sys.executable]


@tool
def raise_value_error() -> None:
    raise ValueError("bad sku")


@tool
def raise_chain() -> None:
    try:
        try:
            raise KeyError("inner")
        except KeyError as inner:
            raise ValueError("middle") from inner
    except ValueError as middle:
        raise RuntimeError("outer") from middle


@tool
def raise_circle() -> None:
    first, second = RuntimeError("first"), RuntimeError("second")
    first.__cause__, second.__cause__ = second, first
    raise first


@tool
def refuse() -> Any:
    return ToolResponse.error("out of stock", code="E17", details={"sku": "a1"}, retryable=True)


@tool
def refuse_by_raising() -> None:
    raise ToolFailed("sold out", code=7)


@tool
def answer_success() -> Any:
    return ToolResponse.success({"n": 1}, ["as text"], {"m": 2})


@tool
def looks_like_failure() -> dict[str, Any]:
    return {"success": False, "error": "x", "isError": True, "status": "failure"}


@tool
def integers() -> list[int]:
    return [2**31, 2**53 + 1, 2**63 - 1, 2**63, -(2**63) - 1]


@tool
def keyed() -> dict[int, int]:
    return {25: 26}


@tool
def with_object() -> dict[str, Any]:
    return {"lock": threading.Lock(), "rows": [[1, 2.5], {"a": b"hi"}]}


@tool
def pause(seconds: float) -> str:
    time.sleep(seconds)
    return "awake"


@tool
async def pause_async(seconds: float) -> str:
    await asyncio.sleep(seconds)
    return "awake"


@tool
def stubborn(seconds: float, folder: str | None = None) -> str:
    """Heed no cancellation; tell by a file that it runs."""
    if folder is not None:
        Path(folder, "runs").touch()
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        time.sleep(0.01)
    return "ended"


@tool
def until_cancelled(folder: str, context: ToolContext) -> str:
    """Tell by files that it runs, and that it was cancelled."""
    Path(folder, "runs").touch()
    while not context.cancelled:
        time.sleep(0.005)
    Path(folder, "cancelled").touch()
    return "cancelled"


@tool
def about(context: ToolContext) -> list[Any]:
    context.progress(1, 2, "half")
    context.progress(2, 2)
    return [context.call_id, context.attempt, context.remaining() is not None]


@tool
def chatty() -> str:
    logging.getLogger("acme.chatty").warning("stock is low {0}")
    return "said"


@tool
def print_much() -> int:
    line = "x" * 65_535
    for _ in range(800):
        print(line)
    os.write(1, b"y" * 1000)
    return 52_428_800


@tool
def close_stdout() -> str:
    os.close(1)
    os.close(0)
    return "closed"


@tool
def close_all() -> None:
    """Close the connection, wherever it is."""
    os.closerange(3, 1 << 20)


@tool
def close_all_later() -> str:
    """Close the connection once nobody waits for anything."""

    def close() -> None:
        time.sleep(0.2)
        os.closerange(3, 1 << 20)

    threading.Thread(target=close).start()
    return "will do"


@tool
def big(size: int) -> str:
    return "x" * size


@tool
def length(text: str) -> int:
    return len(text)


@tool
def exit_at_once(code: int) -> None:
    os._exit(code)


@tool
def stuck(seconds: int, folder: str | None = None) -> str:
    """Keep the interpreter to itself, as C code may."""
    if folder is not None:
        Path(folder, "runs").touch()
    ctypes.PyDLL(None).sleep(seconds)
    return "woke"


@tool
def exit_by_sys() -> None:
    sys.exit(3)


@tool
def segfault() -> None:
    ctypes.string_at(0)


@tool
def kill_itself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@tool
def exhaust_memory() -> int:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    kept = [bytearray(1 << 26) for _ in range(1000)]
    return len(kept)


@tool
def recurse() -> int:
    def deeper(n: int) -> int:
        return deeper(n + 1) + 1

    return deeper(0)


@tool
def fork_and_die(folder: str) -> None:
    """Leave a child that holds the connection, and die."""
    child = os.fork()
    if child == 0:
        time.sleep(30)
        os._exit(0)
    Path(folder, "child").write_text(str(child))
    os._exit(9)


@tool
def start_child(folder: str) -> int:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    Path(folder, "child").write_text(str(child.pid))
    return child.pid


@tool
def count(folder: str, name: str) -> str:
    """Leave one mark for each time that the body runs."""
    with Path(folder, name).open("a") as file:
        file.write("x")
    time.sleep(0.002)
    return name
