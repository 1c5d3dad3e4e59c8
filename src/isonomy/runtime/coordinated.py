# SPDX-License-Identifier: Apache-2.0
"""The synchronous driver with deadlines, or with asynchronous tools in parallel.

The caller's thread starts calls elsewhere (on threads, on an event loop) and waits for the first
of: a call that ended, a deadline, the executor being closed. It gets its answer at the deadline,
whatever the bodies do (clause 8.8).
"""

from __future__ import annotations

import concurrent.futures
import time
from contextlib import suppress
from contextvars import Context, copy_context
from heapq import heappop, heappush
from queue import Empty, SimpleQueue
from typing import cast

from isonomy.contract.outcome import Outcome
from isonomy.runtime.apart import Apart
from isonomy.runtime.batch import Batch
from isonomy.runtime.claim import CANCEL
from isonomy.runtime.closed import ExecutorClosed
from isonomy.runtime.funnel import TOO_LATE, Funnel
from isonomy.runtime.loops import Loops, LoopThread
from isonomy.runtime.running import is_pending, settle_apart
from isonomy.runtime.slot import Slot
from isonomy.runtime.threads import WorkerThreads
from isonomy.runtime.turns import Turn, Turns
from isonomy.tools.tool import Tool

#: What comes to the caller's thread: a call that ended, by what if not by itself; one that got its
#: permit; None to look up.
Told = tuple[Slot, BaseException | None] | Turn | None


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
    """The work of one batch. What happens in other threads comes by a queue."""

    def __init__(self, batch: Batch, driver: Coordinated) -> None:
        self._batch = batch
        self._funnel = driver.funnel
        self._apart = driver.apart
        self._threads = driver.threads
        self._loops = driver.loops
        self._loop: LoopThread | None = None
        self._told: SimpleQueue[Told] = SimpleQueue()
        self._turns = Turns(batch, batch.options.parallel, self._told.put)
        #: How many calls have not ended.
        self._open = len(batch.calls)
        self._running: set[Slot] = set()
        #: Calls whose time runs, by position, until they start.
        self._waiting: dict[int, Slot] = {}
        self._tasks: dict[Slot, concurrent.futures.Future[None]] = {}
        #: When calls must have ended, soonest first; some have ended before.
        self._ends: list[tuple[float, int, Slot]] = []
        deadline = batch.options.deadline
        self._batch_ends = None if deadline is None else time.monotonic() + deadline
        batch.wake = self._close

    def run(self) -> None:
        try:
            self._start_what_may()
            while self._open:
                self._wait()
                self._start_what_may()
        except BaseException as signal:
            for slot in list(self._running):
                self._leave(slot, signal)
            raise
        finally:
            self._give_back()

    def _give_back(self) -> None:
        """Give back what was borrowed, and the permits of calls that will not start."""
        self._turns.close()
        with suppress(Empty):
            while True:
                told = self._told.get_nowait()
                if isinstance(told, Turn) and told.permits is not None:
                    told.permits.release()
        if self._loop is not None:
            self._loops.give_back(self._loop)

    def _close(self) -> None:
        """End what runs as cancelled, for `close`, and wake the caller's thread."""
        for slot in list(self._running):
            self._apart.abandon(slot, "cancelled")
        self._told.put(None)

    # Starting ------------------------------------------------------------------------------------

    def _start_what_may(self) -> None:
        while (turn := self._turns.take()) is not None:
            self._begin(turn)
        for position in self._turns.waiting():
            self._waiting[position] = self._clocked(position)

    def _begin(self, turn: Turn) -> None:
        """Start a call whose turn it is, or end it where it must not start."""
        position, permits = turn
        slot = self._waiting.pop(position, None)
        starts = slot is None or not slot.claim.taken  # else its time was up when it got its permit
        if starts and self._funnel.refused(self._batch, position):
            starts = False
            if slot is not None:
                slot.prevent(CANCEL)
            self._over()
        if starts:
            slot = self._clocked(position) if slot is None else slot
            slot.hold(permits)
            self._start(slot)
        elif permits is not None:
            permits.release()

    def _clocked(self, position: int) -> Slot:
        """Make the slot of a call whose turn it is: its time runs."""
        tool = cast("Tool", self._batch.tools[position])  # unknown ones were refused
        slot = Slot(self._batch, position, tool)
        slot.ends_at = self._batch.ends_at(tool, self._batch_ends)
        if slot.ends_at is not None:
            heappush(self._ends, (slot.ends_at, position, slot))
        return slot

    def _start(self, slot: Slot) -> None:
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
        self._told.put((slot, signal))

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
        self._told.put((slot, signal))

    # Waiting -------------------------------------------------------------------------------------

    def _wait(self) -> None:
        """Wait for the next thing that happens, and do what it asks for."""
        ends = self._next_deadline()
        try:
            timeout = None if ends is None else max(0.0, ends - time.monotonic())
            told = self._told.get(timeout=timeout)
        except Empty:
            told = None
        if self._batch.closed:
            raise ExecutorClosed
        if isinstance(told, Turn):
            self._begin(told)
        elif told is not None:
            self._ended(*told)
        if ends is not None:
            self._expire(time.monotonic())

    def _ended(self, slot: Slot, signal: BaseException | None) -> None:
        if slot not in self._running:
            return
        self._running.discard(slot)
        self._tasks.pop(slot, None)
        if signal is not None:
            self._leave(slot, signal)
            raise signal
        self._over()

    def _over(self) -> None:
        """Note that a call has ended that had its turn."""
        self._open -= 1
        self._turns.free()

    def _next_deadline(self) -> float | None:
        while self._ends and self._ends[0][2].claim.taken:
            heappop(self._ends)
        soonest = self._ends[0][0] if self._ends else None
        if self._batch_ends is not None and self._turns.left:
            return self._batch_ends if soonest is None else min(soonest, self._batch_ends)
        return soonest

    def _expire(self, now: float) -> None:
        while self._ends and self._ends[0][0] <= now:
            slot = heappop(self._ends)[2]
            waited = self._turns.drop(slot.position)
            if self._apart.expire(slot):
                if waited:
                    del self._waiting[slot.position]
                    self._open -= 1
                else:
                    self._running.discard(slot)
                    self._stop(slot)
                    self._over()
        if self._batch_ends is not None and self._batch_ends <= now:
            for position in self._turns.close():
                self._funnel.never(self._batch, position, TOO_LATE)
                self._open -= 1

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
