# SPDX-License-Identifier: Apache-2.0
"""A journal in the memory of one process: for tests, and for batches that need not outlive it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence

from isonomy.contract.journal import (
    Finished,
    JournalError,
    JournalMismatch,
    LeaseLost,
    NotClaimed,
    StoredCall,
)
from isonomy.contract.jsontext import write
from isonomy.contract.slots import SlotKey

_ASK_AGAIN = 0.05


class MemoryJournal:
    """Keeps batches while the process lives. Safe to use from several threads.

    >>> journal = MemoryJournal()
    >>> lease = journal.claim("b-1", 1)
    >>> lease.finish([Finished(SlotKey(0, "ping", "v:1", "00"), "{}", 1, 5)], last=True)
    >>> [call.record for call in journal.claim("b-1", 1).stored()]
    ['{}']
    """

    def __init__(self) -> None:
        self._state = threading.Condition()
        self._batches: dict[str, _Batch] = {}
        self._closed = False

    def claim(
        self, batch_id: str, calls: int, waits: Callable[[], bool] = lambda: True
    ) -> MemoryLease:
        """See `Journal.claim`."""
        quoted = write(batch_id).decode()
        with self._state:
            batch = self._batches.setdefault(batch_id, _Batch(calls))
            if batch.calls != calls:
                raise JournalMismatch(
                    f"batch {quoted}: the journal has {batch.calls} calls, this is {calls}"
                )
            while batch.owned and not self._closed:
                if not waits():
                    raise NotClaimed(f"batch {quoted} has another owner")
                self._state.wait(_ASK_AGAIN)
            if self._closed:
                raise JournalError("the journal in memory is closed")
            batch.owned = True
            batch.fence += 1
            return MemoryLease(self._state, batch)

    def where(self) -> str:
        """See `Journal.where`."""
        return "the journal in memory"

    def close(self) -> None:
        """See `Journal.close`; what is in it is gone."""
        with self._state:
            self._closed = True
            self._batches.clear()
            self._state.notify_all()


class _Batch:
    __slots__ = ("calls", "fence", "owned", "slots")

    def __init__(self, calls: int) -> None:
        self.calls = calls
        self.fence = 0
        self.owned = False
        self.slots: dict[int, StoredCall] = {}


class MemoryLease:
    """The lease of one batch in memory; see `Lease`."""

    def __init__(self, state: threading.Condition, batch: _Batch) -> None:
        self._state = state
        self._batch = batch
        self._fence = batch.fence
        self._seq = len(batch.slots)

    def on_lost(self, told: Callable[[], object]) -> None:
        """See `Lease.on_lost`; nobody takes a lease here that was not given back."""

    @property
    def lost(self) -> bool:
        """Whether the lease was given back."""
        return self._batch.fence != self._fence or not self._batch.owned

    def stored(self) -> Iterator[StoredCall]:
        """See `Lease.stored`."""
        with self._state:
            return iter([self._batch.slots[position] for position in sorted(self._batch.slots)])

    def reserve(self, slot: SlotKey) -> None:
        """See `Lease.reserve`."""
        with self._state:
            self._check()
            if slot.position not in self._batch.slots:
                self._batch.slots[slot.position] = StoredCall(slot, self._next(), None)

    def finish(self, finished: Sequence[Finished], *, last: bool = False) -> None:
        """See `Lease.finish`."""
        with self._state:
            self._check()
            slots = self._batch.slots
            known = [slots.get(each.slot.position) for each in finished]
            if any(before is not None and before.record is not None for before in known):
                raise LeaseLost("the batch has another owner")
            for slot, record, attempts, duration_us in finished:
                slots[slot.position] = StoredCall(
                    slot, self._next(), record, attempts, 0, duration_us
                )
        if last:
            self.release(ended=True)

    def release(self, *, ended: bool) -> None:  # noqa: ARG002 - nothing is pruned here
        """See `Lease.release`."""
        with self._state:
            if not self.lost:
                self._batch.owned = False
                self._state.notify_all()

    def _check(self) -> None:
        if self.lost:
            raise LeaseLost("the batch has another owner")

    def _next(self) -> int:
        self._seq += 1
        return self._seq - 1
