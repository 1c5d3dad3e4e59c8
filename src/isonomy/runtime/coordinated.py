# SPDX-License-Identifier: Apache-2.0
"""The synchronous driver with deadlines, or with asynchronous tools in parallel.

The caller's thread starts calls elsewhere (on threads, on an event loop) and waits for the first
of: a call that ended, a deadline, the executor being closed. It gets its answer at the deadline,
whatever the bodies do (clause 8.8).
"""

from __future__ import annotations

import concurrent.futures
import time
from contextvars import Context, copy_context
from queue import Empty, SimpleQueue
from typing import cast

from isonomy.contract.outcome import Outcome
from isonomy.runtime.apart import Apart
from isonomy.runtime.batch import Batch
from isonomy.runtime.closed import ExecutorClosed
from isonomy.runtime.funnel import TOO_LATE, Funnel
from isonomy.runtime.loops import Loops, LoopThread
from isonomy.runtime.permits import Permits
from isonomy.runtime.running import is_pending, settle_apart
from isonomy.runtime.slot import Slot
from isonomy.runtime.threads import WorkerThreads
from isonomy.tools.tool import Tool

Ended = tuple[Slot, BaseException | None]


class Coordinated:
    """Runs batches whose bodies do not run in the caller's thread."""

    def __init__(self, funnel: Funnel, apart: Apart, threads: WorkerThreads, loops: Loops) -> None:
        self.funnel = funnel
        self.apart = apart
        self.threads = threads
        self.loops = loops

    def run(self, batch: Batch) -> None:
        """Run the batch; every call has a record afterwards.

        Raises:
            BaseException: What is no outcome; started calls are cancelled then.
        """
        _Coordinator(batch, self).run()


class _Coordinator:
    """The work of one batch. Only the bodies' own ends come from other threads, by a queue."""

    def __init__(self, batch: Batch, driver: Coordinated) -> None:
        self._batch = batch
        self._funnel = driver.funnel
        self._apart = driver.apart
        self._threads = driver.threads
        self._loops = driver.loops
        self._loop: LoopThread | None = None
        self._ended: SimpleQueue[Ended | None] = SimpleQueue()
        self._pending = list(range(len(batch.calls)))
        self._running: set[Slot] = set()
        self._tasks: dict[Slot, concurrent.futures.Future[None]] = {}
        deadline = batch.options.deadline
        self._batch_ends = None if deadline is None else time.monotonic() + deadline
        batch.wake = self._close

    def run(self) -> None:
        try:
            while self._pending or self._running:
                self._start_what_may()
                if self._running or self._pending:
                    self._wait()
        except BaseException as signal:
            for slot in list(self._running):
                self._leave(slot, signal)
            raise
        finally:
            if self._loop is not None:
                self._loops.give_back(self._loop)

    def _close(self) -> None:
        """End what runs as cancelled, for `close`, and wake the caller's thread."""
        for slot in list(self._running):
            self._apart.abandon(slot, "cancelled")
        self._ended.put(None)

    def _freed(self) -> None:
        self._ended.put(None)

    # Starting ------------------------------------------------------------------------------------

    def _start_what_may(self) -> None:
        batch = self._batch
        while self._pending and (batch.stopped() or len(self._running) < batch.options.parallel):
            started = self._startable()
            if started is None:
                return
            position, permits = started
            self._pending.remove(position)
            if not self._funnel.refused(batch, position):
                tool = cast("Tool", batch.tools[position])  # unknown ones were refused
                self._start(Slot(batch, position, tool, permits))
            elif permits is not None:
                permits.release()

    def _startable(self) -> tuple[int, Permits | None] | None:
        """The first call whose tool has a permit free, in order where calls run in order."""
        for position in self._pending:
            if self._batch.stopped():
                return position, None
            permits = self._batch.permit(position, self._freed)
            if not isinstance(permits, bool):
                return position, permits
            if self._batch.options.parallel == 1:
                return None
        return None

    def _start(self, slot: Slot) -> None:
        slot.ends_at = self._ends_at(slot.tool.deadline)
        self._running.add(slot)
        if slot.tool.is_async:
            if self._loop is None:
                self._loop = self._loops.borrow(nested=self._batch.nested)
            self._tasks[slot] = self._loop.submit(self._on_loop(slot))
        else:
            context = copy_context()
            self._threads.submit(
                lambda: self._on_thread(slot, context), overflow=self._batch.nested
            )

    def _ends_at(self, tool_deadline: float | None) -> float | None:
        limits = [self._batch.options.call_deadline, tool_deadline]
        given = [seconds for seconds in limits if seconds is not None]
        ends = [time.monotonic() + min(given)] if given else []
        if self._batch_ends is not None:
            ends.append(self._batch_ends)
        return min(ends, default=None)

    # Bodies, elsewhere ---------------------------------------------------------------------------

    def _on_thread(self, slot: Slot, context: Context) -> None:
        signal: BaseException | None = None
        try:
            invocation = self._apart.begin(slot)
            if invocation is None:
                return
            returned = self._apart.invoke(slot, invocation, context)
            pending = is_pending(returned)
            outcome = context.run(self._await, slot, returned) if pending else returned
            if outcome is not None:
                self._apart.end(slot, outcome, invocation)
        except BaseException as raised:  # noqa: BLE001 - handed to the caller's thread, which raises
            signal = raised
        slot.free()
        self._ended.put((slot, signal))

    def _await(self, slot: Slot, outcome: Outcome) -> Outcome | None:
        """Await what a body returned; None where its call has ended."""
        try:
            if slot.is_claimed():
                return None
            loop = self._loops.borrow(nested=True)
            try:
                awaited = loop.submit(settle_apart(outcome, self._apart.passing, slot.is_claimed))
                slot.on_cancel(awaited.cancel)
                return awaited.result()
            finally:
                self._loops.give_back(loop)
        finally:
            self._apart.let_go(slot, outcome)

    async def _on_loop(self, slot: Slot) -> None:
        # The task that runs this was made with a copy of the caller's context variables.
        signal: BaseException | None = None
        try:
            invocation = self._apart.begin(slot)
            if invocation is None:
                return
            pending = self._apart.invoke(slot, invocation)
            outcome = await settle_apart(pending, self._apart.passing, slot.is_claimed)
            self._apart.end(slot, outcome, invocation)
        except BaseException as raised:  # noqa: BLE001 - handed to the caller's thread, which raises
            signal = raised
        slot.free()
        self._ended.put((slot, signal))

    # Waiting -------------------------------------------------------------------------------------

    def _wait(self) -> None:
        """Wait for the next thing that happens, and do what it asks for."""
        ends = self._next_deadline()
        try:
            timeout = None if ends is None else max(0.0, ends - time.monotonic())
            ended = self._ended.get(timeout=timeout)
        except Empty:
            ended = None
        if self._batch.closed:
            raise ExecutorClosed
        if ended is not None:
            slot, signal = ended
            if slot in self._running:
                self._running.discard(slot)
                self._tasks.pop(slot, None)
                if signal is not None:
                    self._leave(slot, signal)
                    raise signal
        if ends is not None:
            self._expire(time.monotonic())

    def _next_deadline(self) -> float | None:
        ends = [
            slot.ends_at
            for slot in self._running
            if slot.ends_at is not None and not slot.claim.taken
        ]
        if self._batch_ends is not None and self._pending:
            ends.append(self._batch_ends)
        return min(ends, default=None)

    def _expire(self, now: float) -> None:
        for slot in list(self._running):
            if slot.ends_at is not None and slot.ends_at <= now and self._apart.expire(slot):
                self._running.discard(slot)
                self._stop(slot)
        if self._batch_ends is not None and self._batch_ends <= now:
            while self._pending:
                self._funnel.never(self._batch, self._pending.pop(0), TOO_LATE)

    def _leave(self, slot: Slot, signal: BaseException) -> None:
        self._apart.abandon(slot, self._apart.reason(signal))
        self._stop(slot)

    def _stop(self, slot: Slot) -> None:
        """Cancel the task of a body on the loop; a body on a thread is told by its context."""
        task = self._tasks.pop(slot, None)
        if task is not None:
            task.cancel()
            if self._loop is not None and not self._loop.answers():
                self._loops.abandon(self._loop)
                self._loop = None
