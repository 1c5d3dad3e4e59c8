# SPDX-License-Identifier: Apache-2.0
"""Tools that do to their process what tools do; workers import this, no test does."""

from __future__ import annotations

import asyncio
import contextvars
import ctypes
import logging
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Annotated, Any

from isonomy import Injected, ToolContext, ToolFailed, ToolResponse, tool

seen: contextvars.ContextVar[str] = contextvars.ContextVar("seen", default="nothing")
cancelled: list[str] = []


@tool
def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


@tool
def pid() -> int:
    return os.getpid()


@tool
def nap(seconds: float) -> str:
    time.sleep(seconds)
    return "slept"


@tool
async def nap_async(seconds: float, name: str = "") -> str:
    try:
        await asyncio.sleep(seconds)
    except asyncio.CancelledError:
        cancelled.append(name)
        raise
    return "slept"


@tool
def nap_until_cancelled(name: str, context: ToolContext) -> str:
    told = threading.Event()
    context.on_cancel(told.set)
    told.wait(30)
    cancelled.append(f"{name} {context.cancelled}")
    return "ended"


@tool
def who_was_cancelled() -> list[str]:
    return list(cancelled)


@tool
def leave(code: int) -> None:
    os._exit(code)


@tool
def crash() -> None:
    ctypes.string_at(0)


@tool
def kill(name: str) -> None:
    os.kill(os.getpid(), getattr(signal, name))
    time.sleep(30)


@tool
def fork_and_leave(hidden: bool, folder: str) -> None:
    """End while a child lives on; a hidden one keeps every descriptor of its parent."""
    child = ctypes.CDLL(None).fork() if hidden else os.fork()
    if child == 0:
        time.sleep(30)
        os._exit(0)
    Path(folder, "child").write_text(str(child), encoding="utf-8")
    os._exit(3)


@tool
def fork_and_return() -> str:
    """Let a child come back from the body, as a careless tool does."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
    return "parent" if child else "child"


@tool
def print_much(megabytes: int) -> str:
    for _ in range(megabytes * 16):
        print("x" * 65_535)  # noqa: T201 - it is what this tool is for
    return "printed"


@tool
def write_to(descriptor: int) -> str:
    os.write(descriptor, b"\x00\x00\x00\x09\x07" * 100)
    return "wrote"


@tool
def close(descriptor: int) -> str:
    os.close(descriptor)
    return "closed"


@tool
def close_range() -> str:
    os.closerange(3, 64)
    return "closed"


@tool
def close_everything() -> str:
    os.closerange(3, 4096)
    return "closed"


@tool
def close_everything_later() -> str:
    threading.Timer(0.2, os.closerange, (3, 4096)).start()
    return "will"


@tool
def start_child(seconds: float) -> int:
    return subprocess.Popen([sys.executable, "-c", f"import time; time.sleep({seconds})"]).pid


@tool
def move(folder: str) -> str:
    os.chdir(folder)
    os.environ["MOVED"] = folder
    return str(Path.cwd())


@tool
def where() -> list[Any]:
    return [str(Path.cwd()), os.environ.get("MOVED"), os.environ.get("GIVEN")]


@tool
def raise_named(name: str) -> None:
    raise {
        "SystemExit": SystemExit(3),
        "KeyboardInterrupt": KeyboardInterrupt(),
        "MemoryError": MemoryError(),
        "GeneratorExit": GeneratorExit(),
        "CancelledError": asyncio.CancelledError(),
        "ToolFailed": ToolFailed(ToolResponse.error("declined", code="NO").error),
    }[name]


@tool
def recurse(depth: int = 0) -> int:
    return recurse(depth + 1) + 1


@tool
def interrupt_main() -> str:
    import _thread

    _thread.interrupt_main()
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.05)
    return "alive"


@tool
def generate() -> Any:
    return (number for number in range(3))


@tool
def large(characters: int) -> str:
    return "x" * characters


@tool
def length(text: str) -> int:
    return len(text)


@tool
def strange() -> dict[str, Any]:
    return {"object": object()}


@tool
def chained() -> None:
    try:
        dict[str, int]()["inner"]
    except KeyError as missing:
        raise ConnectionError("outer") from missing


@tool
def later() -> Any:
    return asyncio.sleep(0.01, "awaited")


@tool
def note(text: str) -> str:
    before = seen.get()
    seen.set(text)
    return before


@tool
def advance(steps: int, context: ToolContext) -> str:
    for step in range(steps):
        context.progress(step + 1, steps, f"step {step + 1}")
    return f"{context.call_id} {context.attempt} {context.remaining() is not None}"


@tool
def say(text: str, context: ToolContext) -> str:
    logging.getLogger("hard").debug("never")
    logging.getLogger("hard").info("said %s", text)
    context.logger.warning("%s too", text)
    return "said"


@tool
def say_wrongly() -> str:
    logging.getLogger("hard").error("%d", "no number")
    logging.getLogger("hard").error("\ud800")
    return "said"


@tool
def say_later(count: int) -> str:
    def say_all() -> None:
        time.sleep(0.2)
        for at in range(count):
            logging.getLogger("hard").info("later %d", at)

    threading.Thread(target=say_all).start()
    return "will"


@tool
def tenant(tenant: Annotated[str, Injected()]) -> str:
    return tenant


@tool
def lie_about_progress(context: ToolContext) -> str:
    threading.Timer(0.05, context.progress, (1,)).start()
    return "before"


@tool
def spin(seconds: float) -> int:
    """Keep a processor busy."""
    ends = time.monotonic() + seconds
    turns = 0
    while time.monotonic() < ends:
        turns += 1
    return turns


@tool
def keep_the_interpreter() -> int:
    """Let no other thread of Python run, for hours."""
    return sum(range(10**13))


@tool(deadline=0.2)
def stuck() -> None:
    time.sleep(60)


def _doubled(number: int) -> int:
    logging.getLogger("child").warning("doubling %s", number)
    return number * 2


@tool
def double_in_children(numbers: list[int], context: ToolContext) -> list[int]:
    """Share work with forked children, which log and report as any code does."""
    child = os.fork()
    if child == 0:
        context.progress(1)
        os._exit(7)
    _, status = os.waitpid(child, 0)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        doubled = pool.map_async(_doubled, numbers).get(20)
    return [*doubled, os.waitstatus_to_exitcode(status)]


@tool
def break_other_threads() -> str:
    """Raise what nothing expects in the threads of the worker itself."""
    for thread in threading.enumerate():
        if thread not in (threading.current_thread(), threading.main_thread()):
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(thread.ident or 0), ctypes.py_object(MemoryError)
            )
    return "broken"


@tool
async def break_the_loop() -> str:
    """Leave an event loop behind that cannot answer."""
    asyncio.get_running_loop().create_task = None  # type: ignore[assignment,method-assign]
    return "broken"


@tool
def nap_and_sleep_when_cancelled(seconds: float, context: ToolContext) -> str:
    """Give a callback that takes its time, which none should."""
    context.on_cancel(lambda: time.sleep(60))
    time.sleep(seconds)
    return "slept"
