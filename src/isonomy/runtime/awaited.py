# SPDX-License-Identifier: Apache-2.0
"""The asynchronous driver: calls run in the caller's event loop, synchronous bodies on threads."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import suppress
from contextvars import copy_context
from typing import Any, cast

from isonomy.contract.outcome import Outcome
from isonomy.runtime.apart import Apart
from isonomy.runtime.batch import Batch
from isonomy.runtime.claim import BODY
from isonomy.runtime.closed import ExecutorClosed
from isonomy.runtime.funnel import TOO_LATE, Funnel
from isonomy.runtime.here import Here
from isonomy.runtime.permits import Permits
from isonomy.runtime.running import is_pending, settle
from isonomy.runtime.slot import Slot
from isonomy.runtime.threads import WorkerThreads
from isonomy.tools.tool import Tool


class Awaited:
    """Runs batches for callers that await them."""

    def __init__(self, funnel: Funnel, here: Here, apart: Apart, threads: WorkerThreads) -> None:
        self._funnel = funnel
        self._here = here
        self._apart = apart
        self._threads = threads
        #: Bodies that outlived their deadline: an event loop keeps only weak references to tasks.
        self._abandoned: set[asyncio.Future[Any]] = set()

    async def run(self, batch: Batch) -> None:
        """Run the batch; every call has a record afterwards.

        Raises:
            BaseException: What is no outcome (clauses 8.9, 8.10); started calls are cancelled then.
        """
        deadline = batch.options.deadline
        ends = None if deadline is None else time.monotonic() + deadline
        positions = iter(range(len(batch.calls)))
        workers = min(batch.options.parallel, len(batch.calls))
        if workers <= 1:
            await self._work(batch, positions, ends)
        else:
            await self._work_together(batch, workers, positions, ends)

    async def _work_together(
        self, batch: Batch, workers: int, positions: Iterator[int], ends: float | None
    ) -> None:
        tasks = [asyncio.create_task(self._work(batch, positions, ends)) for _ in range(workers)]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            # Whatever ends the batch early ends its other workers, and the batch waits for them:
            # nothing of it goes on once it is over.
            left = [task for task in tasks if not task.done()]
            for task in left:
                task.cancel()
            if left:
                await asyncio.wait(left)
        for task in tasks:
            if not task.cancelled():
                task.result()

    async def _work(self, batch: Batch, positions: Iterator[int], ends: float | None) -> None:
        for position in positions:
            if batch.closed:
                raise ExecutorClosed
            if ends is not None and time.monotonic() >= ends:
                self._funnel.never(batch, position, TOO_LATE)
                continue
            if self._funnel.refused(batch, position):
                continue
            permits: Permits | bool | None = None
            if batch.permits is not None:
                permits = await _permit(batch, position, ends)
            if isinstance(permits, bool):
                self._funnel.never(batch, position, TOO_LATE)
            else:
                await self._one(batch, position, ends, permits)

    async def _one(
        self, batch: Batch, position: int, batch_ends: float | None, permits: Permits | None
    ) -> None:
        tool = cast("Tool", batch.tools[position])  # unknown ones were refused
        ends_at = _ends_at(batch, tool, batch_ends)
        if ends_at is None and (tool.is_async or tool.inline):
            try:
                call = batch.calls[position]
                batch.keep(
                    await self._here.arun(
                        tool, call.arguments, call.call_id, batch.seq, batch.id, position
                    )
                )
            finally:
                if permits is not None:
                    permits.release()
            return
        slot = Slot(batch, position, tool, permits)
        slot.ends_at = ends_at
        if tool.is_async:
            # The context variables are copied when the task is made.
            await self._wait(slot, asyncio.create_task(self._on_loop(slot)))
        else:
            await self._wait(slot, self._on_thread(slot))

    async def _on_loop(self, slot: Slot) -> None:
        if not slot.begin.take(BODY):
            return
        try:
            invocation = self._apart.begin(slot)
            pending = self._apart.invoke(slot, invocation)
            self._apart.end(slot, await settle(pending, self._apart.passing), invocation)
        except self._apart.passing as signal:
            self._apart.abandon(slot, self._apart.reason(signal))
            raise
        finally:
            slot.free()

    def _on_thread(self, slot: Slot) -> asyncio.Future[None]:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        context = copy_context()

        def report(raised: BaseException | None) -> None:
            if not done.done():
                done.set_result(None) if raised is None else done.set_exception(raised)

        def body() -> None:
            if not slot.begin.take(BODY):
                return
            raised: BaseException | None = None
            try:
                invocation = self._apart.begin(slot)
                outcome = self._apart.invoke(slot, invocation, context)
                if is_pending(outcome):
                    outcome = self._settle_from_thread(slot, outcome, loop)
                self._apart.end(slot, outcome, invocation)
            except BaseException as signal:  # noqa: BLE001 - handed to the caller's task
                raised = signal
                self._apart.abandon(slot, self._apart.reason(signal))
            slot.free()
            with suppress(RuntimeError):  # the caller's loop is closed: nobody waits any more
                loop.call_soon_threadsafe(report, raised)

        self._threads.submit(body, overflow=slot.batch.nested)
        return done

    def _settle_from_thread(
        self, slot: Slot, outcome: Outcome, loop: asyncio.AbstractEventLoop
    ) -> Outcome:
        """Await on the caller's loop what a body on a thread returned."""
        awaited = asyncio.run_coroutine_threadsafe(settle(outcome, self._apart.passing), loop)
        slot.on_cancel(awaited.cancel)
        return awaited.result()

    async def _wait(self, slot: Slot, body: asyncio.Future[None]) -> None:
        """Wait for a body that runs apart, at most until its call's deadline."""
        timeout = None if slot.ends_at is None else max(0.0, slot.ends_at - time.monotonic())
        try:
            done, _ = await asyncio.wait((body,), timeout=timeout)
        except asyncio.CancelledError:
            await self._leave(slot, body)
            raise
        if done or not self._apart.expire(slot):
            await body
            return
        self._abandoned.add(body)
        body.add_done_callback(self._forget)
        body.cancel()

    async def _leave(self, slot: Slot, body: asyncio.Future[None]) -> None:
        """Give up a call because its caller was cancelled; a task of ours is awaited to its end."""
        self._apart.abandon(slot, "cancelled")
        if isinstance(body, asyncio.Task):
            body.cancel()
            await asyncio.wait((body,))
        elif slot.claim.winner == BODY:
            await asyncio.wait((body,))

    def _forget(self, body: asyncio.Future[Any]) -> None:
        self._abandoned.discard(body)
        if not body.cancelled():
            body.exception()  # somebody must have looked at it


def _ends_at(batch: Batch, tool: Tool, batch_ends: float | None) -> float | None:
    """When a call that starts now must have ended, in seconds of `time.monotonic()`."""
    own, given = tool.deadline, batch.options.call_deadline
    if own is None and given is None:
        return batch_ends
    seconds = min(limit for limit in (own, given) if limit is not None)
    ends = time.monotonic() + seconds
    return ends if batch_ends is None else min(ends, batch_ends)


def _wake(freed: asyncio.Future[None]) -> None:
    if not freed.done():
        freed.set_result(None)


async def _permit(batch: Batch, position: int, ends: float | None) -> Permits | bool | None:
    """Wait for the permit that a call needs; false where the deadline passes first."""
    loop = asyncio.get_running_loop()
    while True:
        freed: asyncio.Future[None] = loop.create_future()

        def tell(freed: asyncio.Future[None] = freed) -> None:
            with suppress(RuntimeError):  # the waiter's loop is closed
                loop.call_soon_threadsafe(_wake, freed)

        permits = batch.permit(position, tell)
        if not isinstance(permits, bool):
            return permits
        timeout = None if ends is None else max(0.0, ends - time.monotonic())
        done, _ = await asyncio.wait((freed,), timeout=timeout)
        if not done:
            return False
