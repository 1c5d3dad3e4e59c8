# SPDX-License-Identifier: Apache-2.0
"""The synchronous driver without deadlines: bodies run in the caller's thread (clause 8.12)."""

from __future__ import annotations

import threading
from contextvars import copy_context
from queue import SimpleQueue

from isonomy.contract.events import CancelReason
from isonomy.contract.outcome import Outcome
from isonomy.runtime.batch import Batch, Slot
from isonomy.runtime.closed import ExecutorClosed
from isonomy.runtime.claim import BODY, CANCEL
from isonomy.runtime.funnel import Funnel
from isonomy.runtime.running import Await, Runner, is_pending
from isonomy.runtime.threads import WorkerThreads


class Inline:
    """Runs calls one after the other, or several threads pulling from one batch."""

    def __init__(
        self, funnel: Funnel, runner: Runner, threads: WorkerThreads, await_: Await
    ) -> None:
        self._funnel = funnel
        self._runner = runner
        self._threads = threads
        self._await = await_

    def in_order(self, batch: Batch) -> None:
        """Run every call of the batch in this thread, in order."""
        for slot in batch.slots:
            self._one(batch, slot)

    def _one(self, batch: Batch, slot: Slot) -> None:
        if self._funnel.refused(batch, slot):
            return
        if slot.permits is not None:
            freed: SimpleQueue[None] = SimpleQueue()
            while not slot.try_permit(lambda: freed.put(None)):
                freed.get()
        self.run(batch, slot)

    def run(self, batch: Batch, slot: Slot) -> None:
        """Run one call in this thread.

        Raises:
            BaseException: What is no outcome (clauses 8.9, 8.10); the call is cancelled then.
        """
        if batch.closed or not slot.begin.take(BODY):
            raise ExecutorClosed
        funnel, runner = self._funnel, self._runner
        funnel.begin(batch, slot)
        reason: CancelReason = "cancelled"
        outcome: Outcome | None = None
        try:
            invocation = runner.invocation(batch, slot)
            context = copy_context()
            pending = runner.invoke(slot, invocation, context)
            if is_pending(pending):
                pending = context.run(self._await, pending, batch.nested)
            outcome = pending
        except runner.passing:
            reason = "suspended"
            raise
        finally:
            slot.free()
            if outcome is None and slot.claim.take(CANCEL):
                funnel.cancelled(batch, slot, reason)
                slot.tell_cancelled()
        if not slot.claim.take(BODY):
            funnel.late(slot.call.tool)
            raise ExecutorClosed
        funnel.end(batch, slot, outcome, invocation.decoded)

    def in_parallel(self, batch: Batch) -> None:
        """Run the batch on this thread and others, each taking the next call when it is free.

        Threads that pull cost one hand-over each, not one for every call. The caller's thread works
        too, so that the batch goes on where every other thread is busy.
        """
        pull = _Pull(batch, self)
        helpers = min(batch.options.parallel, len(batch.slots)) - 1
        ended: SimpleQueue[int] = SimpleQueue()
        begun = [threading.Lock() for _ in range(helpers)]
        for number in range(helpers):
            context = copy_context()

            def help_(number: int = number, context: object = context) -> None:
                if begun[number].acquire(blocking=False):
                    context.run(pull.work)  # type: ignore[attr-defined]
                    ended.put(number)

            self._threads.submit(help_)
        pull.work()
        if isinstance(pull.signal, KeyboardInterrupt):
            pull.abandon()
            raise pull.signal
        waiting = sum(not lock.acquire(blocking=False) for lock in begun)
        for _ in range(waiting):
            ended.get()
        if pull.signal is not None:
            raise pull.signal


class _Pull:
    """Hands the calls of one batch to whichever thread asks."""

    def __init__(self, batch: Batch, inline: Inline) -> None:
        self._batch = batch
        self._inline = inline
        self._pending = list(reversed(batch.slots))
        self._limited = any(slot.permits is not None for slot in self._pending)
        self._lock = threading.Lock()
        self.signal: BaseException | None = None

    def work(self) -> None:
        """Run calls until none is left, or until one raises what is no outcome."""
        while (slot := self._next()) is not None:
            if self._inline._funnel.refused(self._batch, slot):
                continue
            try:
                self._inline.run(self._batch, slot)
            except BaseException as signal:  # noqa: BLE001 - handed to the caller's thread
                self._stop(signal)

    def _stop(self, signal: BaseException) -> None:
        with self._lock:
            self._pending.clear()
            if self.signal is None:
                self.signal = signal

    def abandon(self) -> None:
        """Cancel what still runs on other threads: the caller was interrupted and does not wait."""
        for slot in self._batch.slots:
            if slot.record is None:
                self._inline._funnel.abandon(self._batch, slot, "cancelled")

    def _next(self) -> Slot | None:
        while True:
            freed: SimpleQueue[None] = SimpleQueue()
            with self._lock:
                if not self._pending:
                    return None
                if not self._limited:
                    return self._pending.pop()
                slot = self._take_permitted(freed)
            if slot is not None:
                return slot
            freed.get()

    def _take_permitted(self, freed: SimpleQueue[None]) -> Slot | None:
        """Take the first call whose tool has a permit; else have ``freed`` told of the next."""
        for slot in reversed(self._pending):
            if slot.try_permit(lambda: freed.put(None)):
                self._pending.remove(slot)
                return slot
        return None
