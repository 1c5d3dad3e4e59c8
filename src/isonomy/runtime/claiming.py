# SPDX-License-Identifier: Apache-2.0
"""Becomes the owner of a durable batch, waiting for it where another host is (clause J3)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from isonomy.contract.journal import Journal, NotClaimed
from isonomy.contract.misuse import Misuse
from isonomy.runtime.batch import Batch
from isonomy.runtime.closed import ExecutorClosed
from isonomy.runtime.durable import Durable, Identities, Reused

Claimed = tuple[Durable, list[Reused], set[int]]
"""What is kept of a batch: see `Durable.claim`."""


class Claiming:
    """One claim of one batch, by a thread that may be given up from another.

    Args:
        batch: The batch.
        journal: Where it is kept.
        identities: Gives the slots of its calls.
        closed: Whether the executor is closed.

    Raises:
        Misuse: The batch has no id that can be kept (clause 13.1).
    """

    def __init__(
        self,
        batch: Batch,
        journal: Journal,
        identities: Identities,
        closed: Callable[[], bool],
    ) -> None:
        self._id = _checked_id(batch.id)
        self._batch = batch
        self._journal = journal
        self._closed = closed
        self._slots = [
            identities.of(position, tool, call.arguments)
            for position, (tool, call) in enumerate(zip(batch.tools, batch.calls, strict=True))
        ]
        deadline = batch.options.deadline
        self._ends = None if deadline is None else time.monotonic() + deadline
        self._state = threading.Lock()
        self._given_up = False
        self._claimed: Claimed | None = None

    def claim(self) -> Claimed | None:
        """Claim the batch; None where its deadline passed before.

        Raises:
            ExecutorClosed: The executor was closed meanwhile.
            JournalMismatch: The journal has other calls for the batch.
            JournalError: It cannot be used.
        """
        try:
            claimed = Durable.claim(self._journal, self._id, self._slots, self._waits)
        except NotClaimed:
            if self._closed():
                raise ExecutorClosed from None
            return None
        if self._ends is not None:
            self._batch.options.deadline = max(self._ends - time.monotonic(), 1e-9)
        with self._state:
            self._claimed = claimed
        return claimed

    def give_up(self) -> None:
        """Wait no longer."""
        self._given_up = True

    def give_back(self) -> None:
        """Give back what was claimed for a caller that does not want it any more."""
        if self._claimed is not None:
            self._claimed[0].over(ended=False)

    def _waits(self) -> bool:
        in_time = self._ends is None or time.monotonic() < self._ends
        return in_time and not self._given_up and not self._closed()


def _checked_id(batch_id: str | None) -> str:
    if batch_id is None or not batch_id.strip():
        raise Misuse("a durable batch has an id: run(..., id=..., journal=...)")
    if "\0" in batch_id or any("\ud800" <= each <= "\udfff" for each in batch_id):
        raise Misuse("the id of a durable batch is a text without U+0000 and lone surrogates")
    return batch_id
