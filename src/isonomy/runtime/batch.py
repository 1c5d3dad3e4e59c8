# SPDX-License-Identifier: Apache-2.0
"""The state of one batch while it runs: a slot for every call, in request order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from isonomy.contract.call import ToolCall
from isonomy.contract.events import CallRecord
from isonomy.runtime.claim import CANCEL, DEADLINE, Claim
from isonomy.runtime.options import Options
from isonomy.runtime.permits import Permits
from isonomy.tools.tool import Tool

_ABANDONED = frozenset({DEADLINE, CANCEL})


class Slot:
    """One call of a batch: who may start it, who may end it, and its record once it has one."""

    __slots__ = (
        "_on_cancel",
        "begin",
        "call",
        "claim",
        "ends_at",
        "holds_permit",
        "permits",
        "position",
        "record",
        "started",
        "started_ns",
        "tool",
    )

    def __init__(self, position: int, call: ToolCall, tool: Tool | None) -> None:
        self.position = position
        self.call = call
        self.tool = tool
        #: Taken by whoever starts the body, or by who makes sure that it never starts.
        self.begin = Claim()
        #: Taken by whoever ends the call (clause 8.9).
        self.claim = Claim()
        #: The tool's permits, None where it has no `max_parallel`.
        self.permits: Permits | None = None
        self.holds_permit = False
        self.record: CallRecord | None = None
        self.ends_at: float | None = None  # time.monotonic() seconds
        self.started = 0  # time.perf_counter_ns()
        self.started_ns = 0  # time.time_ns()
        self._on_cancel: list[Callable[[], None]] | None = None

    def prevent(self, who: str) -> bool:
        """Make sure that the body never starts; false where it has started already."""
        if not self.begin.take(who):
            return False
        self.claim.take(who)
        self.free()
        return True

    def try_permit(self, freed: Callable[[], None]) -> bool:
        """Take a permit where the tool needs one, or have ``freed`` told of the next free one."""
        if self.permits is None:
            return True
        self.holds_permit = self.permits.take_or_watch(freed)
        return self.holds_permit

    def free(self) -> None:
        """Give the permit back. Whoever took `begin` calls this: the body at its own end."""
        if self.holds_permit and self.permits is not None:
            self.holds_permit = False
            self.permits.release()

    def abandoned(self) -> bool:
        """Whether the deadline or the caller ended the call before its body did."""
        return self.claim.winner in _ABANDONED

    def on_cancel(self, callback: Callable[[], None]) -> None:
        """Have ``callback`` called when the call is abandoned; at once if it is."""
        if self._on_cancel is None:
            self._on_cancel = []
        self._on_cancel.append(callback)
        if self.abandoned():
            self.tell_cancelled()

    def tell_cancelled(self) -> None:
        """Call what waits for the call's abandonment, each once."""
        while self._on_cancel:
            self._on_cancel.pop()()


class Batch:
    """Calls that are run together under one set of options."""

    __slots__ = ("closed", "failed", "id", "nested", "options", "seq", "slots", "wake")

    def __init__(
        self,
        batch_id: str | None,
        slots: Sequence[Slot],
        options: Options,
        *,
        nested: bool,
    ) -> None:
        self.id = batch_id
        self.slots = slots
        self.options = options
        self.nested = nested
        self.seq = count()
        self.failed = False
        #: Set when the executor was closed under the batch.
        self.closed = False
        #: Wakes whoever waits for the batch, once it is closed.
        self.wake: Callable[[], None] | None = None

    def stopped(self) -> bool:
        """Whether no further call may start because one failed (clause 8.6)."""
        return self.failed and self.options.fail_fast
