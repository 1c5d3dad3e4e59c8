# SPDX-License-Identifier: Apache-2.0
"""The asynchronous driver: calls run in the caller's event loop, synchronous bodies on threads."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import Any, cast

from isonomy.runtime.apart import Apart
from isonomy.runtime.batch import Batch
from isonomy.runtime.closed import ExecutorClosed
from isonomy.runtime.deferring import Deferring
from isonomy.runtime.funnel import TOO_LATE, Funnel
from isonomy.runtime.here import Here
from isonomy.runtime.permits import Permits
from isonomy.runtime.slot import Slot
from isonomy.runtime.threads import WorkerThreads
from isonomy.runtime.waiting import Waiting, end_all
from isonomy.tools.tool import Tool


class _WorkerCancelled(BaseException):
    """A body cancelled the task that it ran in, which is its caller's or stands in for it."""


class Awaited:
    """Runs batches for callers that await them."""

    def __init__(self, funnel: Funnel, here: Here, apart: Apart, threads: WorkerThreads) -> None:
        self._funnel = funnel
        self._here = here
        self._threads = threads
        self._waiting = Waiting(apart, threads)

    async def run(self, batch: Batch) -> None:
        """Run the batch; every call has a record afterwards.

        Raises:
            BaseException: What is no outcome (clauses 8.9, 8.10); started calls are cancelled then.
        """
        deadline = batch.options.deadline
        ends = None if deadline is None else time.monotonic() + deadline
        positions = iter(range(len(batch.calls)))
        workers = min(batch.options.parallel, len(batch.calls))
        deferring = (
            None
            if batch.durable is None
            else Deferring(batch, batch.durable, self._funnel, self._threads)
        )
        if workers <= 1:
            await self._work(batch, positions, ends, deferring)
        else:
            try:
                await self._work_together(batch, workers, positions, ends, deferring)
            except _WorkerCancelled:
                raise asyncio.CancelledError from None

    async def _work_together(
        self,
        batch: Batch,
        workers: int,
        positions: Iterator[int],
        ends: float | None,
        deferring: Deferring | None,
    ) -> None:
        ending = False

        async def work() -> None:
            try:
                await self._work(batch, positions, ends, deferring)
            except asyncio.CancelledError:
                if ending:
                    raise
                raise _WorkerCancelled from None

        tasks = [asyncio.create_task(work()) for _ in range(workers)]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            # Whatever ends the batch early ends its other workers, and the batch waits for them:
            # nothing of it goes on once it is over.
            ending = True
            try:
                await end_all(tasks)
            finally:  # an exception that nobody looks at is logged
                raised = [task.exception() for task in tasks if not task.cancelled()]
        for signal in raised:
            if signal is not None:
                raise signal

    async def _work(
        self,
        batch: Batch,
        positions: Iterator[int],
        ends: float | None,
        deferring: Deferring | None,
    ) -> None:
        for position in positions:
            if batch.closed:
                raise ExecutorClosed
            if ends is not None and time.monotonic() >= ends:
                self._funnel.never(batch, position, TOO_LATE)
                continue
            if self._funnel.refused(batch, position):
                continue
            tool = cast("Tool", batch.tools[position])  # unknown ones were refused
            ends_at = batch.ends_at(tool, ends)
            permits = None if batch.permits is None else batch.permits[position]
            if permits is not None and not await _permit(permits, ends_at):
                self._funnel.never(batch, position, TOO_LATE)
            else:
                await self._one(batch, position, tool, ends_at, permits, deferring)

    async def _one(
        self,
        batch: Batch,
        position: int,
        tool: Tool,
        ends_at: float | None,
        permits: Permits | None,
        deferring: Deferring | None,
    ) -> None:
        if ends_at is None and (tool.is_async or tool.inline):
            try:
                call = batch.calls[position]
                batch.keep(
                    await self._here.arun(
                        tool, call.arguments, call.call_id, batch.seq, batch.id, position, deferring
                    )
                )
            finally:
                if permits is not None:
                    permits.release()
            return
        slot = Slot(batch, position, tool)
        slot.hold(permits)
        slot.ends_at = ends_at
        await self._waiting.run(slot)


def _wake(freed: asyncio.Future[None]) -> None:
    if not freed.done():
        freed.set_result(None)


async def _permit(permits: Permits, ends: float | None) -> bool:
    """Take a permit, waiting for it; false where the call's deadline passes first."""
    loop = asyncio.get_running_loop()
    told: asyncio.Future[None] = loop.create_future()

    def granted() -> bool:
        try:
            loop.call_soon_threadsafe(_wake, told)
        except RuntimeError:  # the waiter's loop is closed, and the waiter gone with it
            return False
        return True

    if permits.take_or_wait(granted):
        return True
    timeout = None if ends is None else max(0.0, ends - time.monotonic())
    in_time: set[Any] = set()
    try:
        in_time, _ = await asyncio.wait((told,), timeout=timeout)
    finally:
        if not in_time and not permits.forget(granted):
            permits.release()
    return bool(in_time)
