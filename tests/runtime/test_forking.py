# SPDX-License-Identifier: Apache-2.0
"""An executor works in processes that were forked from the one that made it (8.14)."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")

PROGRAM = """
import asyncio, os, signal, sys, threading, time
from isonomy.contract.call import ToolCall
from isonomy.observe.memory import MemorySink
from isonomy.observe.metrics import Metrics
from isonomy.runtime.executor import ToolExecutor
from tests.runtime.bodies import Body

signal.alarm(50)
go_on, inside = threading.Event(), threading.Semaphore(0)

def plain(wait=False):
    if wait:
        inside.release()
        go_on.wait(40)
    return os.getpid()

async def coroutine(wait=False):
    if wait:
        inside.release()
        while not go_on.is_set():
            await asyncio.sleep(0.01)
    return os.getpid()

class Slow:
    "A sink behind a queue."
    def __init__(self):
        self.taken = []
    def emit(self, event):
        self.taken.append(event)

memory, metrics, slow = MemorySink(), Metrics(), Slow()
tools = [
    Body(plain), Body(coroutine), Body(plain, name="narrow", max_parallel=1),
    Body(coroutine, name="anarrow", max_parallel=1),
]
executor = ToolExecutor(tools, sinks=[memory, metrics, slow], grace=5)

def use():
    names = ["plain", "coroutine", "narrow", "anarrow"]
    calls = [ToolCall(name) for name in names] * 2
    me = {os.getpid()}
    assert {executor.call(name).unwrap() for name in names} == me
    assert {executor.call(name, deadline=30).unwrap() for name in names} == me
    for options in ({}, {"parallel": 4}, {"call_deadline": 30}, {"parallel": 4, "deadline": 30}):
        assert {r.unwrap() for r in executor.run(calls, **options).responses} == me, options
        event = asyncio.run(executor.arun(calls, **options))
        assert {r.unwrap() for r in event.responses} == me, options
    plain_calls = [ToolCall("plain")] * 8
    assert {r.unwrap() for r in executor.run(plain_calls, parallel=4).responses} == me

def in_child(work):
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(30)
            work()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
"""


def run(code: str) -> list[str]:
    root = Path(__file__).parents[2]
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout
    return ended.stdout.split("\n")[:-1]


def test_an_executor_that_was_used_works_in_the_child_and_in_its_parent() -> None:
    said = run("""
        use()
        def work():
            use()
            executor.close()
        print(in_child(work), in_child(lambda: in_child(work) and sys.exit(1)), flush=True)
        use()
        executor.close()
    """)
    assert said == ["0 0"]


def test_calls_that_run_in_the_parent_are_none_of_the_child() -> None:
    """Permits they hold, locks they hold, events that are queued: all stay with the parent."""
    said = run("""
        callers = [
            threading.Thread(target=executor.call, args=(name, {"wait": True}), kwargs=more)
            for name, more in (
                ("plain", {}), ("plain", {"deadline": 40}), ("narrow", {}), ("anarrow", {}),
            )
        ]
        for caller in callers:
            caller.start()
        for caller in callers:
            assert inside.acquire(timeout=30)
        assert executor.flush(30)
        locks = [
            executor._threads._lock, executor._loops._lock, metrics._lock,
            executor._emitter._queues[0]._lock, *(p._lock for p in executor._permits.values()),
        ]
        held, forked = threading.Event(), threading.Event()
        def hold():
            for lock in locks:
                lock.acquire()
            held.set()
            forked.wait(40)
            for lock in locks:
                lock.release()
        holder = threading.Thread(target=hold)
        holder.start()
        assert held.wait(30)
        def work():
            memory.clear()
            slow.taken.clear()
            metrics.snapshot()
            use()
            assert executor.flush(30)
            told = [event for event in memory.events]
            executor.close()
            assert memory.events == told, "the calls of the parent are not ended here"
            assert slow.taken == told
        print(in_child(work), flush=True)
        forked.set()
        go_on.set()
        for caller in callers:
            caller.join(30)
        print(metrics.snapshot().in_flight, metrics.snapshot().count(status="success"))
        use()
        executor.close()
    """)
    assert said == ["0", "0 4"]


def test_a_body_that_forks() -> None:
    said = run("""
        def forks():
            def work():
                assert executor.call("plain", deadline=30).unwrap() == os.getpid()
                assert executor.call("coroutine").unwrap() == os.getpid()
            return in_child(work)
        executor = ToolExecutor([*executor.tools, Body(forks)], sinks=[memory])
        print(executor.call("forks").unwrap(), executor.call("forks", deadline=30).unwrap())
        executor.close()
    """)
    assert said == ["0 0"]


def test_workers_of_a_pool_that_forks() -> None:
    said = run("""
        import multiprocessing
        use()
        def work(_):
            use()
            return executor.call("plain", deadline=30).unwrap() == os.getpid()
        with multiprocessing.get_context("fork").Pool(2) as pool:
            print(pool.map(work, range(4)))
        executor.close()
    """)
    assert said == ["[True, True, True, True]"]
