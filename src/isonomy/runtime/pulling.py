# SPDX-License-Identifier: Apache-2.0
"""The synchronous driver of parallel calls without deadlines.

The caller's thread runs calls, and other threads take calls from the same batch. They cost a
hand-over each, not one for every call, and the batch goes on where every other thread is busy.

Other threads come only where they help. Bodies that hold the interpreter's lock gain nothing from
them, so while calls end faster than a thread could be woken for them, the caller stays alone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from queue import Empty, SimpleQueue
from typing import Final, cast

from isonomy.runtime.batch import Batch
from isonomy.runtime.closed import ExecutorClosed
from isonomy.runtime.deferring import Deferring
from isonomy.runtime.funnel import Funnel
from isonomy.runtime.here import Here
from isonomy.runtime.permits import Permits
from isonomy.runtime.threads import WorkerThreads
from isonomy.runtime.turns import Turn, Turns
from isonomy.tools.tool import Tool

#: How long the caller's thread is watched, in seconds, and how many calls must have ended in that
#: time for it to stay alone. Handing a call to a thread costs about a tenth of it.
TICK: Final = 0.000_5
ALONE: Final = 8


class Pulling:
    """Runs batches on the caller's thread and others, each taking the next call when it is free."""

    def __init__(self, funnel: Funnel, here: Here, threads: WorkerThreads) -> None:
        self._funnel = funnel
        self._here = here
        self._threads = threads

    def run(self, batch: Batch) -> None:
        """Run the batch; every call has a record afterwards.

        Raises:
            BaseException: What is no outcome; calls on other threads are awaited, except where the
                caller was interrupted: those end as cancelled.
        """
        deferring = None
        if batch.durable is not None and not batch.options.fail_fast:
            # with fail_fast a failure is known at once, and the thread that has it waits
            deferring = Deferring(batch, batch.durable, self._funnel, self._threads)
        pull = _Pull(batch, self._funnel, self._here, deferring)
        crew = _Crew(pull, self._threads, min(batch.options.parallel, len(batch.calls)) - 1)
        crew.start()
        pull.work()
        if isinstance(pull.signal, KeyboardInterrupt):
            self._here.abandon(batch.seq)
            crew.dismiss()
            raise pull.signal
        crew.join()
        if deferring is not None:
            deferring.drain()
            pull.signal = pull.signal or deferring.signal
        if pull.signal is not None:
            raise pull.signal


class _Pull:
    """Hands the calls of one batch to whichever thread asks."""

    def __init__(
        self, batch: Batch, funnel: Funnel, here: Here, deferring: Deferring | None
    ) -> None:
        self._batch = batch
        self._deferring = deferring
        self._funnel = funnel
        self._here = here
        #: Positions, the next one last; unused where calls need permits.
        self._pending = list(range(len(batch.calls) - 1, -1, -1))
        self._ready: SimpleQueue[Turn | None] = SimpleQueue()
        self._turns = None if batch.permits is None else Turns(batch, 0, self._ready.put)
        #: How many calls were taken.
        self.taken = 0
        #: What ended the batch early.
        self.signal: BaseException | None = None

    @property
    def left(self) -> int:
        """How many calls nobody has taken."""
        return len(self._pending) if self._turns is None else self._turns.left

    def work(self) -> None:
        """Run calls until none is left, or until one raises what is no outcome."""
        batch, pending, turns = self._batch, self._pending, self._turns
        run, refused, deferring = self._here.run, self._funnel.refused, self._deferring
        calls, tools, seq, name = batch.calls, batch.tools, batch.seq, batch.id
        permits: Permits | None = None
        while True:
            if deferring is not None:
                deferring.open.acquire()
            is_open = True
            try:
                if turns is None:
                    try:
                        position = pending.pop()
                    except IndexError:
                        return
                else:
                    turn = self._next(turns)
                    if turn is None:
                        return
                    position, permits = turn
                self.taken += 1
                call, tool = calls[position], tools[position]
                if (tool is None or batch.failed) and refused(batch, position):
                    continue
                record = run(
                    cast("Tool", tool), call.arguments, call.call_id, seq, name, position, deferring
                )
                is_open = record is not None
                if record is not None:
                    batch.keep(record)
            except BaseException as signal:  # noqa: BLE001 - handed to the caller's thread
                self._stop(signal)
            finally:
                if deferring is not None and is_open:
                    deferring.open.release()
                if permits is not None:
                    permits.release()
                    permits = None

    def _stop(self, signal: BaseException) -> None:
        self._pending.clear()
        if self.signal is None:
            self.signal = signal
        if self._turns is not None:
            self._turns.close()
            with suppress(Empty):  # permits that nobody came for, as who waited was interrupted
                while True:
                    turn = self._ready.get_nowait()
                    if turn is not None and turn.permits is not None:
                        turn.permits.release()
            self._ready.put(None)

    def _next(self, turns: Turns) -> Turn | None:
        """Take the next call, waiting for its permit if need be; None where none is left."""
        turns.free()
        turn = turns.take()
        if turn is None and turns.left:
            turn = self._ready.get()
        if turn is None or not turns.left:
            self._ready.put(None)  # whoever waits has nothing to wait for
        return turn


class _Crew:
    """The threads that help the caller's with one batch."""

    def __init__(self, pull: _Pull, threads: WorkerThreads, size: int) -> None:
        self._pull = pull
        self._threads = threads
        self._size = size
        self._finished = threading.Lock()
        self._ended: SimpleQueue[None] = SimpleQueue()
        self._begun: list[threading.Lock] = []
        self._gate = threading.Lock()

    def start(self) -> None:
        """Send one thread to watch the caller's; it calls the others when they help."""
        self._finished.acquire()
        self._submit(self._watch)

    def _submit(self, job: Callable[[], None]) -> None:
        begun = threading.Lock()
        self._begun.append(begun)
        context = copy_context()

        def run() -> None:
            if begun.acquire(blocking=False):
                try:
                    context.run(job)
                except ExecutorClosed:
                    pass  # no further thread comes; the caller finds out by itself
                finally:
                    self._ended.put(None)

        self._threads.submit(run)

    def _watch(self) -> None:
        pull, seen = self._pull, 0
        while not self._finished.acquire(timeout=TICK):
            if not pull.left:
                return
            if pull.taken - seen < ALONE:
                with self._gate:
                    if self._size:
                        for _ in range(min(self._size - 1, pull.left - 1)):
                            self._submit(pull.work)
                pull.work()
                return
            seen = pull.taken

    def dismiss(self) -> None:
        """Call no further thread; those that work find nothing left to do."""
        self._finished.release()
        with self._gate:
            self._size = 0

    def join(self) -> None:
        """Wait for every thread that has begun; the others will find nothing to do."""
        self.dismiss()
        waiting = sum(not begun.acquire(blocking=False) for begun in self._begun)
        for _ in range(waiting):
            self._ended.get()
