# SPDX-License-Identifier: Apache-2.0
"""Writes the outcomes of calls that run at the same time together (clause J4.4).

A call whose body has ended waits here for its outcome to be written; its thread goes on with the
next call of the batch. One thread writes whatever has come by then, and tells the ends.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import NamedTuple

from isonomy.contract.events import CallRecord
from isonomy.contract.outcome import Outcome
from isonomy.runtime.batch import Batch
from isonomy.runtime.closed import ExecutorClosed
from isonomy.runtime.durable import Durable, Prepared
from isonomy.runtime.funnel import Funnel
from isonomy.runtime.threads import WorkerThreads
from isonomy.tools.tool import Tool

End = Callable[[], CallRecord]
"""Tells the end of a call whose outcome is written, and gives its record."""


class _Ending(NamedTuple):
    prepared: Prepared
    end: End
    told: Callable[[CallRecord | BaseException], object]


class Deferring:
    """The ends of one batch. Safe to use from several threads.

    Args:
        batch: The batch.
        durable: Keeps it.
        funnel: Makes responses.
        threads: Where the thread that writes comes from.
    """

    def __init__(
        self, batch: Batch, durable: Durable, funnel: Funnel, threads: WorkerThreads
    ) -> None:
        self._batch = batch
        self._durable = durable
        self._funnel = funnel
        self._threads = threads
        #: How many more calls may be open: run, or wait to be written (clause 8.7).
        self.open = threading.Semaphore(batch.options.parallel)
        self._state = threading.Condition()
        self._next: list[_Ending] = []
        self._works = False
        #: What telling an end raised: a sink, or Ctrl-C, in the thread that writes.
        self.signal: BaseException | None = None

    def later(
        self,
        position: int,
        tool: Tool,
        outcome: Outcome,
        decoded: Sequence[str],
        duration_ns: int,
        end: End,
    ) -> None:
        """Have an outcome written, its end told after that, and its record kept."""

        def told(ended: CallRecord | BaseException) -> None:
            if isinstance(ended, CallRecord):
                self._batch.keep(ended)
            else:
                self.signal = ended
            self.open.release()

        self._add(_Ending(self._prepared(position, tool, outcome, decoded, duration_ns), end, told))

    async def alater(
        self,
        position: int,
        tool: Tool,
        outcome: Outcome,
        decoded: Sequence[str],
        duration_ns: int,
        end: End,
    ) -> CallRecord:
        """Give the record of a call once its outcome is written, whoever cancels the caller.

        A cancellation is left to the caller, who finds it in its task.
        """
        loop = asyncio.get_running_loop()
        done: asyncio.Future[CallRecord] = loop.create_future()

        def settle(ended: CallRecord | BaseException) -> None:
            if isinstance(ended, CallRecord):
                done.set_result(ended)
            else:
                done.set_exception(ended)

        prepared = self._prepared(position, tool, outcome, decoded, duration_ns)
        self._add(_Ending(prepared, end, lambda ended: loop.call_soon_threadsafe(settle, ended)))
        while not done.done():
            try:
                await asyncio.wait((done,))
            except asyncio.CancelledError:
                continue
        return done.result()

    def _prepared(
        self,
        position: int,
        tool: Tool,
        outcome: Outcome,
        decoded: Sequence[str],
        duration_ns: int,
    ) -> Prepared:
        response = self._funnel.response(tool, outcome)
        return self._durable.prepare(position, outcome, response, decoded, duration_ns // 1000)

    def _add(self, ending: _Ending) -> None:
        with self._state:
            self._next.append(ending)
            starts, self._works = not self._works, True
        if starts:
            try:
                self._threads.submit(self._work, overflow=True)
            except ExecutorClosed:  # no thread comes; what was begun is finished all the same
                self._work()

    def _work(self) -> None:
        while True:
            with self._state:
                if not self._next:
                    self._works = False
                    self._state.notify_all()
                    return
                together, self._next = self._next, []
            self._durable.write([each.prepared for each in together])
            for each in together:
                try:
                    each.told(each.end())
                except BaseException as signal:  # noqa: BLE001 - handed to who waits for the call
                    each.told(signal)

    def drain(self) -> None:
        """Wait until all ends are told."""
        with self._state:
            self._state.wait_for(lambda: not self._works)
