# SPDX-License-Identifier: Apache-2.0
"""Any batch of any faults: one record per call in request order, and balanced events (8, 9)."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import suppress
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from isonomy.contract.events import Event, ExecutionEvent, ResponseEvent
from tests.runtime.arena import (
    LIMIT,
    Arena,
    Plan,
    batches,
    by_batch,
    check_balance,
    check_exactly,
    check_records,
)

Drawn = tuple[list[Plan], dict[str, Any]]

SLOW = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@settings(SLOW, max_examples=60)
@given(batch=batches(50), entry=st.sampled_from(["run", "arun"]), threads=st.sampled_from([1, 64]))
def test_any_batch_has_one_record_per_call_and_balanced_events(
    batch: Drawn, entry: str, threads: int
) -> None:
    plans, options = batch
    # A body that goes on after its deadline keeps its thread: with one, nobody would get any.
    arena = Arena(max_threads=threads, obedient=threads == 1)
    calls = arena.calls(plans)
    try:
        if entry == "run":
            event = arena.executor.run(calls, id="outer", **options)
        else:
            event = asyncio.run(arena.executor.arun(calls, id="outer", **options))
        told = by_batch(arena.memory.events)["outer"]
    finally:
        arena.close()
    assert check_balance(told) is event
    check_records(event, calls, plans)
    check_exactly(event, plans, options)
    check_all(arena)


def check_all(arena: Arena) -> None:
    """Check every batch, those inside others too, once the bodies on threads have ended."""
    ends = time.monotonic() + LIMIT
    while arena.metrics.snapshot().in_flight and time.monotonic() < ends:
        time.sleep(0.001)
    assert arena.metrics.snapshot().in_flight == 0
    for events in by_batch(arena.memory.events).values():
        check_balance(events)


async def check_nothing_left(arena: Arena) -> None:
    """Check that no task goes on, but for bodies that a deadline ended just before."""
    left = asyncio.all_tasks() - {asyncio.current_task()}
    if any(event.kind == "timeout" for event in arena.memory.executions) and left:
        _, left = await asyncio.wait(left, timeout=LIMIT)
    assert left == set()


class CancelsAt:
    """A sink that cancels the caller when so many events were told."""

    direct = True

    def __init__(self, count: int) -> None:
        self.left = count
        self.lock = threading.Lock()
        self.task: asyncio.Task[ResponseEvent] | None = None

    def emit(self, event: Event) -> None:
        if isinstance(event, ExecutionEvent):
            with self.lock:
                self.left -= 1
                now = self.left == 0
            if now and self.task is not None:
                with suppress(RuntimeError):  # the caller has gone: a late body told something
                    self.task.get_loop().call_soon_threadsafe(self.task.cancel)


@settings(SLOW, max_examples=60)
@given(
    batch=batches(12, without=frozenset({"calls_and_blocks"})),
    moment=st.integers(0, 30),
    steps=st.integers(0, 12),
)
def test_a_cancelled_batch_has_balanced_events_and_leaves_nothing_behind(
    batch: Drawn, moment: int, steps: int
) -> None:
    plans, options = batch
    cancels = CancelsAt(moment)
    arena = Arena(cancels)
    calls = arena.calls(plans)

    async def main() -> ResponseEvent | None:
        task = asyncio.create_task(arena.executor.arun(calls, id="outer", **options))
        cancels.task = task
        if moment == 0:
            for _ in range(steps):
                await asyncio.sleep(0)
            task.cancel()
        try:
            async with asyncio.timeout(LIMIT):
                return await task
        except asyncio.CancelledError:
            return None
        finally:
            await check_nothing_left(arena)

    try:
        event = asyncio.run(main())
        told = by_batch(arena.memory.events)["outer"]
    finally:
        arena.close()
    # What a body on a thread calls after its caller has gone is not of this batch.
    started = sum(isinstance(step, ExecutionEvent) and step.type == "started" for step in told)
    begun = [one for one in arena.begun if any(one is plan for plan in plans)]
    assert len(begun) <= started, "a body began after its batch was over"
    if event is None:
        assert not told or check_balance(told) is None
    else:
        assert check_balance(told) is event
        check_records(event, calls, plans)
    check_all(arena)
