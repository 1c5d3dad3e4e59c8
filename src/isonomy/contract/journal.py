# SPDX-License-Identifier: Apache-2.0
"""What the runtime asks of a journal (spec/journal.md), and what a journal may answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

from isonomy.contract.misuse import IsonomyError
from isonomy.contract.slots import SlotKey

LEASE_SECONDS = 10.0
"""How long a lease holds after it was last renewed, unless the host says otherwise (J3.2)."""


class JournalError(IsonomyError):
    """Raised where a journal cannot be opened, read or written; its message says why.

    What had been committed before stays so.
    """


class LeaseLost(JournalError):  # noqa: N818 - the state it tells
    """Raised where another host owns the batch by now (J3.3); nothing was written."""


class BatchPruned(JournalError):  # noqa: N818 - the state it tells
    """Raised where a batch is offered again whose slots were pruned (J5.1)."""


class JournalMismatch(IsonomyError):  # noqa: N818 - the state it tells
    """Raised where the journal has other calls for a batch than those offered (clause 13.3)."""


class NotClaimed(IsonomyError):  # noqa: N818 - the state it tells
    """Raised where nobody waits any more for a batch that another host owns."""


class StoredCall(NamedTuple):
    """A slot as a journal has it; `record` is None where it is reserved only.

    `attempts`, `ended_ms` (milliseconds since 1970) and `duration_us` are None then too.
    """

    slot: SlotKey
    seq: int
    record: str | None
    attempts: int | None = None
    ended_ms: int | None = None
    duration_us: int | None = None


class Finished(NamedTuple):
    """An outcome on its way into a journal. `record` is JSON (J2.1)."""

    slot: SlotKey
    record: str
    attempts: int
    duration_us: int


class Lease(Protocol):
    """The right to run one batch. Safe to use from several threads."""

    def stored(self) -> Iterator[StoredCall]:
        """Give the slots of the batch in the order in which they were written (J4.1).

        Raises:
            JournalError: The journal cannot be read.
        """
        ...

    def reserve(self, slot: SlotKey) -> None:
        """Make a slot known before its body starts; durable on return. A reserved one stays so.

        Raises:
            LeaseLost: Another host owns the batch.
            JournalError: The journal cannot be written.
        """
        ...

    def finish(self, finished: Sequence[Finished], *, last: bool = False) -> None:
        """Keep how calls ended; durable on return (J4.4).

        Args:
            finished: What is kept: all or, where this raises, nothing.
            last: Whether nothing more will be written: the lease is given back by the same step.

        Raises:
            LeaseLost: Another host owns the batch.
            JournalError: The journal cannot be written.
        """
        ...

    def release(self, *, ended: bool) -> None:
        """Give the lease back; `ended` says whether the batch came to its end. Idempotent.

        Raises:
            JournalError: The journal cannot be written; the lease ends by itself.
        """
        ...

    def on_lost(self, told: Callable[[], object]) -> None:
        """Have `told` called once, from any thread, when another host is known to own the batch."""
        ...


class Journal(Protocol):
    """Keeps batches. Safe to use from several threads."""

    def claim(self, batch_id: str, calls: int, waits: Callable[[], bool] = lambda: True) -> Lease:
        """Become the owner of a batch, waiting while another host is.

        Args:
            batch_id: The batch.
            calls: How many calls it has.
            waits: Asked now and then whether to wait on.

        Raises:
            NotClaimed: `waits` said no.
            JournalMismatch: The journal knows the batch with another number of calls.
            BatchPruned: The batch was pruned.
            JournalError: The journal cannot be used.
        """
        ...

    def where(self) -> str:
        """Say which journal it is, for messages: `the journal runs.db`."""
        ...

    def close(self) -> None:
        """Give back what is open; idempotent."""
        ...
