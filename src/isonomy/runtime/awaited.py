# SPDX-License-Identifier: Apache-2.0
"""The asynchronous driver: calls run in the caller's event loop, synchronous bodies on threads."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from contextlib import suppress
from contextvars import Context, copy_context
from typing import Any

from isonomy.contract.events import CancelReason
from isonomy.contract.outcome import Outcome
from isonomy.runtime.batch import Batch, Slot
from isonomy.runtime.claim import BODY, CANCEL, DEADLINE
from isonomy.runtime.closed import ExecutorClosed
from isonomy.runtime.funnel import TIMEOUT, TOO_LATE, Funnel
from isonomy.runtime.running import InContext, Runner, is_pending, settle
from isonomy.runtime.threads import WorkerThreads
from isonomy.tools.tool import Invocation


class Awaited:
    """Runs batches for callers that await them."""

    def __init__(self, funnel: Funnel, runner: Runner, threads: WorkerThreads) -> None:
        self._funnel = funnel
        self._runner = runner
        self._threads = threads
        #: Bodies that outlived their deadline: an event loop keeps only weak references to tasks.
        self._abandoned: set[asyncio.Future[Any]] = set()

    async def run(self, batch: Batch) -> None:
        """Run the batch; every slot has a record afterwards.

        Raises:
            BaseException: What is no outcome (clauses 8.9, 8.10); started calls are cancelled then.
        """
        deadline = batch.options.deadline
        ends = None if deadline is None else time.monotonic() + deadline
        work = iter(batch.slots)
        workers = min(batch.options.parallel, len(batch.slots))
        if workers <= 1:
            await self._work(batch, work, ends)
        else:
            await self._work_together(batch, workers, work, ends)

    async def _work_together(self, batch: Batch, count: int, work: Any, ends: float | None) -> None:
        tasks = [
            asyncio.create_task(self._work(batch, work, ends), name=f"isonomy-{number}")
            for number in range(count)
        ]
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

    async def _work(self, batch: Batch, work: Any, ends: float | None) -> None:
        for slot in work:
            if batch.closed:
                raise ExecutorClosed
            if ends is not None and time.monotonic() >= ends:
                self._funnel.never(batch, slot, TOO_LATE)
            elif self._funnel.refused(batch, slot):
                continue
            elif slot.permits is None or await _permitted(slot, ends):
                await self._one(batch, slot, ends)
            else:
                self._funnel.never(batch, slot, TOO_LATE)

    async def _one(self, batch: Batch, slot: Slot, batch_ends: float | None) -> None:
        tool = slot.tool
        assert tool is not None
        given = [s for s in (batch.options.call_deadline, tool.deadline) if s is not None]
        ends = [] if batch_ends is None else [batch_ends]
        if given:
            ends.append(time.monotonic() + min(given))
        slot.ends_at = min(ends, default=None)
        if not (tool.is_async or (tool.inline and slot.ends_at is None)):
            await self._apart(batch, slot, self._on_thread(batch, slot))
        elif slot.ends_at is None:
            await self._here(batch, slot)
        else:
            context = copy_context()
            body = self._body(batch, slot, context)
            await self._apart(batch, slot, asyncio.create_task(body, context=context))

    # A body in the caller's task -----------------------------------------------------------------

    async def _here(self, batch: Batch, slot: Slot) -> None:
        task = asyncio.current_task()
        before = task.cancelling() if task is not None else 0
        await self._body(batch, slot, copy_context(), InContext)
        if task is not None and task.cancelling() > before:
            # The body returned although its caller was cancelled. Its record stands, and the
            # cancellation, which the body swallowed, goes on (clause 8.9).
            raise asyncio.CancelledError

    async def _body(
        self, batch: Batch, slot: Slot, context: Context, drive: Any = None
    ) -> None:
        """Run one body from its start to its record, in this task."""
        if not slot.begin.take(BODY):
            return
        funnel, runner = self._funnel, self._runner
        funnel.begin(batch, slot)
        outcome: Outcome | None = None
        reason: CancelReason = "cancelled"
        try:
            invocation = runner.invocation(batch, slot)
            pending = (
                runner.invoke(slot, invocation, context)
                if drive is not None
                else runner.invoke_here(slot, invocation)
            )
            if is_pending(pending):
                settling: Coroutine[Any, Any, Outcome] = settle(pending, runner.passing)
                pending = await (settling if drive is None else drive(settling, context))
            outcome = pending
        except runner.passing:
            reason = "suspended"
            raise
        finally:
            slot.free()
            if outcome is None and slot.claim.take(CANCEL):
                funnel.cancelled(batch, slot, reason)
                slot.tell_cancelled()
        self._end(batch, slot, outcome, invocation)

    # A body elsewhere ----------------------------------------------------------------------------

    def _on_thread(self, batch: Batch, slot: Slot) -> asyncio.Future[None]:
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
                self._funnel.begin(batch, slot)
                invocation = self._runner.invocation(batch, slot)
                outcome = self._runner.invoke(slot, invocation, context)
                if is_pending(outcome):
                    outcome = self._settle_from_thread(slot, outcome, loop)
                self._end(batch, slot, outcome, invocation)
            except BaseException as signal:  # noqa: BLE001 - handed to the caller's task
                raised = signal
                passing = isinstance(signal, self._runner.passing)
                self._funnel.abandon(batch, slot, "suspended" if passing else "cancelled")
            slot.free()
            with suppress(RuntimeError):  # the caller's loop is closed: nobody waits any more
                loop.call_soon_threadsafe(report, raised)

        self._threads.submit(body, overflow=batch.nested)
        return done

    def _settle_from_thread(
        self, slot: Slot, outcome: Outcome, loop: asyncio.AbstractEventLoop
    ) -> Outcome:
        """Await on the caller's loop what a body on a thread returned."""
        awaited = asyncio.run_coroutine_threadsafe(settle(outcome, self._runner.passing), loop)
        slot.on_cancel(awaited.cancel)
        return awaited.result()

    async def _apart(self, batch: Batch, slot: Slot, body: asyncio.Future[None]) -> None:
        """Wait for a body that runs elsewhere, at most until its call's deadline."""
        timeout = None if slot.ends_at is None else max(0.0, slot.ends_at - time.monotonic())
        try:
            done, _ = await asyncio.wait((body,), timeout=timeout)
        except asyncio.CancelledError:
            await self._leave(batch, slot, body)
            raise
        if done or not self._expired(batch, slot):
            await body
            return
        self._abandoned.add(body)
        body.add_done_callback(self._forget)
        body.cancel()

    def _expired(self, batch: Batch, slot: Slot) -> bool:
        """End a call whose deadline passed; false where its body ended it just before."""
        if slot.prevent(DEADLINE):
            self._funnel.never(batch, slot, TOO_LATE)
            return True
        if not slot.claim.take(DEADLINE):
            return False
        self._funnel.end(batch, slot, TIMEOUT)
        slot.tell_cancelled()
        return True

    async def _leave(self, batch: Batch, slot: Slot, body: asyncio.Future[None]) -> None:
        """Give up a call because its caller was cancelled; a task of ours is awaited to its end."""
        self._funnel.abandon(batch, slot, "cancelled")
        if isinstance(body, asyncio.Task):
            body.cancel()
            await asyncio.wait((body,))
        elif slot.claim.winner == BODY:
            await asyncio.wait((body,))

    def _end(self, batch: Batch, slot: Slot, outcome: Outcome, invocation: Invocation) -> None:
        if slot.claim.take(BODY):
            self._funnel.end(batch, slot, outcome, invocation.decoded)
        else:
            self._funnel.late(slot.call.tool)

    def _forget(self, body: asyncio.Future[Any]) -> None:
        self._abandoned.discard(body)
        if not body.cancelled():
            body.exception()  # somebody must have looked at it


async def _permitted(slot: Slot, ends: float | None) -> bool:
    """Wait for a permit; false where the deadline passes first."""
    loop = asyncio.get_running_loop()
    while True:
        freed: asyncio.Future[None] = loop.create_future()

        def tell(freed: asyncio.Future[None] = freed) -> None:
            with suppress(RuntimeError):  # the waiter's loop is closed
                loop.call_soon_threadsafe(lambda: freed.done() or freed.set_result(None))

        if slot.try_permit(tell):
            return True
        timeout = None if ends is None else max(0.0, ends - time.monotonic())
        done, _ = await asyncio.wait((freed,), timeout=timeout)
        if not done:
            return False
