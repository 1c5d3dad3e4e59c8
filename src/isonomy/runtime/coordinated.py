# SPDX-License-Identifier: Apache-2.0
"""The synchronous driver with deadlines, or with asynchronous tools in parallel.

The caller's thread starts calls elsewhere (on threads, on an event loop) and waits for the first of:
a call that ended, a deadline, the executor being closed. It gets its answer at the deadline,
whatever the bodies do (clause 8.8).
"""

from __future__ import annotations

import concurrent.futures
import time
from contextvars import Context, copy_context
from queue import Empty, SimpleQueue

from isonomy.contract.outcome import Outcome
from isonomy.runtime.batch import Batch, Slot
from isonomy.runtime.claim import BODY, DEADLINE
from isonomy.runtime.closed import ExecutorClosed
from isonomy.runtime.funnel import TIMEOUT, TOO_LATE, Funnel
from isonomy.runtime.loops import Loops, LoopThread
from isonomy.runtime.running import Runner, is_pending, settle
from isonomy.runtime.threads import WorkerThreads
from isonomy.tools.tool import Invocation

Ended = tuple[Slot, BaseException | None] | None


class Coordinated:
    """Runs batches whose bodies do not run in the caller's thread."""

    def __init__(
        self, funnel: Funnel, runner: Runner, threads: WorkerThreads, loops: Loops
    ) -> None:
        self._funnel = funnel
        self._runner = runner
        self._threads = threads
        self._loops = loops

    def run(self, batch: Batch) -> None:
        """Run the batch; every slot has a record afterwards.

        Raises:
            BaseException: What is no outcome; started calls are cancelled then.
        """
        _Coordinator(batch, self._funnel, self._runner, self._threads, self._loops).run()


class _Coordinator:
    def __init__(
        self, batch: Batch, funnel: Funnel, runner: Runner, threads: WorkerThreads, loops: Loops
    ) -> None:
        self._batch = batch
        self._funnel = funnel
        self._runner = runner
        self._threads = threads
        self._loops = loops
        self._loop: LoopThread | None = None
        self._ended: SimpleQueue[Ended] = SimpleQueue()
        self._pending = list(batch.slots)
        self._running: set[Slot] = set()
        self._tasks: dict[Slot, concurrent.futures.Future[None]] = {}
        deadline = batch.options.deadline
        self._batch_ends = None if deadline is None else time.monotonic() + deadline
        batch.wake = lambda: self._ended.put(None)

    def run(self) -> None:
        try:
            while self._pending or self._running:
                self._start_what_may()
                if self._running or self._pending:
                    self._wait()
        except BaseException as signal:
            reason = "suspended" if isinstance(signal, self._runner.passing) else "cancelled"
            for slot in list(self._running):
                self._funnel.abandon(self._batch, slot, reason)
                self._stop(slot)
            raise
        finally:
            if self._loop is not None:
                self._loops.give_back(self._loop)

    # Starting ------------------------------------------------------------------------------------

    def _start_what_may(self) -> None:
        batch = self._batch
        while self._pending and (batch.stopped() or len(self._running) < batch.options.parallel):
            slot = self._startable()
            if slot is None:
                return
            self._pending.remove(slot)
            if self._funnel.refused(batch, slot):
                slot.free()
            else:
                self._start(slot)

    def _startable(self) -> Slot | None:
        """The first call whose tool has a permit free, in order where calls run in order."""
        for slot in self._pending:
            if self._batch.stopped() or slot.try_permit(lambda: self._ended.put(None)):
                return slot
            if self._batch.options.parallel == 1:
                return None
        return None

    def _start(self, slot: Slot) -> None:
        tool = slot.tool
        assert tool is not None
        slot.ends_at = self._ends_at(tool.deadline)
        self._running.add(slot)
        if tool.is_async:
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
        if not slot.begin.take(BODY):
            return
        signal: BaseException | None = None
        try:
            invocation = self._begin(slot)
            outcome = self._runner.invoke(slot, invocation, context)
            if is_pending(outcome):
                outcome = self._await(slot, outcome)
            self._end(slot, outcome, invocation)
        except BaseException as raised:  # noqa: BLE001 - handed to the caller's thread, which raises
            signal = raised
        slot.free()
        self._ended.put((slot, signal))

    def _await(self, slot: Slot, outcome: Outcome) -> Outcome:
        loop = self._loops.borrow(nested=True)
        try:
            awaited = loop.submit(settle(outcome, self._runner.passing))
            slot.on_cancel(awaited.cancel)
            return awaited.result()
        finally:
            self._loops.give_back(loop)

    async def _on_loop(self, slot: Slot) -> None:
        # The task that runs this was made with a copy of the caller's context variables.
        if not slot.begin.take(BODY):
            return
        signal: BaseException | None = None
        try:
            invocation = self._begin(slot)
            pending = self._runner.invoke_here(slot, invocation)
            self._end(slot, await settle(pending, self._runner.passing), invocation)
        except BaseException as raised:  # noqa: BLE001 - handed to the caller's thread, which raises
            signal = raised
        slot.free()
        self._ended.put((slot, signal))

    def _begin(self, slot: Slot) -> Invocation:
        self._funnel.begin(self._batch, slot)
        return self._runner.invocation(self._batch, slot)

    def _end(self, slot: Slot, outcome: Outcome, invocation: Invocation) -> None:
        if slot.claim.take(BODY):
            self._funnel.end(self._batch, slot, outcome, invocation.decoded)
        else:
            self._funnel.late(slot.call.tool)

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
                    passing = isinstance(signal, self._runner.passing)
                    self._funnel.abandon(self._batch, slot, "suspended" if passing else "cancelled")
                    raise signal
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
        for slot in [slot for slot in self._running if slot.ends_at is not None]:
            if slot.ends_at > now:  # type: ignore[operator]  # not None: filtered above
                continue
            if slot.prevent(DEADLINE):
                self._funnel.never(self._batch, slot, TOO_LATE)
            elif slot.claim.take(DEADLINE):
                self._funnel.end(self._batch, slot, TIMEOUT)
                slot.tell_cancelled()
                self._stop(slot)
            else:
                continue  # its body has it and is about to report
            self._running.discard(slot)
        if self._batch_ends is not None and self._batch_ends <= now:
            while self._pending:
                self._funnel.never(self._batch, self._pending.pop(0), TOO_LATE)

    def _stop(self, slot: Slot) -> None:
        """Cancel the task of a body on the loop; a body on a thread is told by its context."""
        task = self._tasks.pop(slot, None)
        if task is not None:
            task.cancel()
            if self._loop is not None and not self._loop.answers():
                self._loops.abandon(self._loop)
                self._loop = None
