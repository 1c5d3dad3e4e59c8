# SPDX-License-Identifier: Apache-2.0
"""Waits on an event loop for a body that runs apart from its caller: in a task, or on a thread."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextvars import Context, copy_context
from functools import partial
from typing import Any, NamedTuple

from isonomy.contract.outcome import Outcome
from isonomy.runtime.apart import Apart
from isonomy.runtime.off_loop import off_loop
from isonomy.runtime.running import is_pending, running_task, settle_apart
from isonomy.runtime.slot import Slot
from isonomy.runtime.threads import WorkerThreads
from isonomy.tools.tool import Invocation


class _Pending(NamedTuple):
    """What a body on a thread returned to be awaited, and what is needed for that."""

    outcome: Outcome
    invocation: Invocation
    context: Context


_Body = asyncio.Future[_Pending | None]


class Waiting:
    """Runs slots for callers that await them."""

    def __init__(self, apart: Apart, threads: WorkerThreads) -> None:
        self._apart = apart
        self._threads = threads
        #: Bodies that outlived their deadline: an event loop keeps only weak references to tasks.
        self._abandoned: set[_Body] = set()

    async def run(self, slot: Slot) -> None:
        """Run the call of a slot to its end, at most until its deadline.

        Raises:
            BaseException: What is no outcome (clauses 8.9, 8.10); the call is cancelled then.
        """
        given_up = _given_up(slot)
        if slot.tool.is_async:
            # The context variables are copied when the task is made.
            await self._wait(slot, asyncio.create_task(self._on_loop(slot, given_up)))
            return
        pending = await self._wait(slot, self._on_thread(slot))
        if pending is not None:
            body: _Body = asyncio.get_running_loop().create_task(
                self._on_loop(slot, given_up, pending), context=pending.context
            )
            body.add_done_callback(lambda _: slot.free())  # also where it never began
            await self._wait(slot, body)

    async def _on_loop(
        self, slot: Slot, given_up: Callable[[], bool], pending: _Pending | None = None
    ) -> None:
        """Run a body and await what it returns, or what it returned on a thread."""
        try:
            invocation = self._apart.begin(slot) if pending is None else pending.invocation
            if invocation is None:
                return
            returned = self._apart.invoke(slot, invocation) if pending is None else pending.outcome
            outcome = await settle_apart(returned, self._apart.passing, given_up)
            if slot.tool.durable is None:
                self._apart.end(slot, outcome, invocation)
            else:
                end = partial(self._apart.end, slot, outcome, invocation)
                await off_loop(self._threads, end)
        except self._apart.passing as signal:
            self._apart.abandon(slot, self._apart.reason(signal))
            raise
        finally:
            slot.free()

    def _on_thread(self, slot: Slot) -> _Body:
        loop = asyncio.get_running_loop()
        done: _Body = loop.create_future()
        context = copy_context()

        def report(pending: _Pending | None, raised: BaseException | None) -> None:
            if not done.done():
                done.set_result(pending) if raised is None else done.set_exception(raised)

        def body() -> None:
            pending = raised = None
            try:
                invocation = self._apart.begin(slot)
                if invocation is None:
                    return
                outcome = self._apart.invoke(slot, invocation, context)
                if is_pending(outcome):
                    pending = _Pending(outcome, invocation, context)
                else:
                    self._apart.end(slot, outcome, invocation)
            except BaseException as signal:  # noqa: BLE001 - handed to the caller's task
                raised = signal
                self._apart.abandon(slot, self._apart.reason(signal))
            if pending is None:
                slot.free()
            else:
                slot.on_cancel(partial(self._let_go, slot, pending.outcome))
            try:
                loop.call_soon_threadsafe(report, pending, raised)
            except RuntimeError:  # the caller's loop is closed: nobody waits any more
                self._apart.abandon(slot, "cancelled")

        self._threads.submit(body, overflow=slot.batch.nested)
        return done

    def _let_go(self, slot: Slot, returned: Outcome) -> None:
        """Close what the body of an abandoned call returned, unless it is being awaited."""
        if self._apart.let_go(slot, returned):
            slot.free()

    # Waiting -------------------------------------------------------------------------------------

    async def _wait(self, slot: Slot, body: _Body) -> _Pending | None:
        """Wait for a body, at most until its call's deadline."""
        timeout = None if slot.ends_at is None else max(0.0, slot.ends_at - time.monotonic())
        try:
            done, _ = await asyncio.wait((body,), timeout=timeout)
        except asyncio.CancelledError:
            await self._leave(slot, body)
            raise
        if done or not await self._expire(slot):
            return await body
        self._abandoned.add(body)
        body.add_done_callback(self._forget)
        body.cancel()
        return None

    async def _expire(self, slot: Slot) -> bool:
        if slot.tool.durable is None:
            return self._apart.expire(slot)
        return await off_loop(self._threads, partial(self._apart.expire, slot))

    async def _leave(self, slot: Slot, body: _Body) -> None:
        """Give up a call because its caller was cancelled; a task of ours is awaited to its end."""
        if self._apart.abandon(slot, "cancelled") or isinstance(body, asyncio.Task):
            body.cancel()
        try:
            await end_all([body], first=False)
        finally:
            self._forget(body)

    def _forget(self, body: _Body) -> None:
        self._abandoned.discard(body)
        if not body.cancelled():
            body.exception()  # somebody must have looked at it


async def end_all(tasks: Sequence[asyncio.Future[Any]], *, first: bool = True) -> None:
    """Cancel what is not done and wait for it, whoever cancels the caller meanwhile.

    A further cancellation is handed on to what is left and raised in the end. ``first`` is false
    where the cancelling has been done.
    """
    again: asyncio.CancelledError | None = None
    while left := [task for task in tasks if not task.done()]:
        if first or again is not None:
            for task in left:
                task.cancel()
        try:
            await asyncio.wait(left)
        except asyncio.CancelledError as cancelled:
            again = cancelled
        first = False
    if again is not None:
        raise again


def _given_up(slot: Slot) -> Callable[[], bool]:
    """Tell whether a call was given up: ended by another than its body, or its caller cancelled."""
    caller: asyncio.Task[Any] = running_task()
    before = caller.cancelling()
    return lambda: slot.is_claimed() or caller.cancelling() > before
