# SPDX-License-Identifier: Apache-2.0
"""The state of one batch while it runs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from queue import SimpleQueue

from isonomy.contract.call import ToolCall
from isonomy.contract.events import CallRecord
from isonomy.runtime.options import Options
from isonomy.runtime.permits import Permits
from isonomy.tools.tool import Tool


class Batch:
    """Calls that are run together under one set of options, and their records as they come.

    `tools`, `permits` and `records` go by position, like `calls`: a tool is None where nobody has
    it, permits are None where the tool has no `max_parallel`, a record is None until its call
    ended.
    """

    __slots__ = (
        "calls", "closed", "failed", "id", "nested", "options", "permits", "records", "seq",
        "tools", "wake",
    )  # fmt: skip

    def __init__(
        self,
        batch_id: str | None,
        calls: tuple[ToolCall, ...],
        tools: list[Tool | None],
        options: Options,
        *,
        nested: bool,
    ) -> None:
        self.id = batch_id
        self.calls = calls
        self.tools = tools
        self.options = options
        self.nested = nested
        self.permits: list[Permits | None] | None = None
        self.records: list[CallRecord | None] = [None] * len(calls)
        #: Numbers the execution events.
        self.seq = count()
        #: Whether a call failed.
        self.failed = False
        #: Whether the executor was closed under the batch.
        self.closed = False
        #: Ends what runs and wakes whoever waits for the batch; set by its driver.
        self.wake: Callable[[], object] | None = None

    def keep(self, record: CallRecord) -> None:
        """Keep the record of one call."""
        self.records[record.position] = record
        if not record.response.is_success:
            self.failed = True

    def stopped(self) -> bool:
        """Whether no further call may start because one failed (clause 8.6)."""
        return self.failed and self.options.fail_fast

    def permit(self, position: int, freed: Callable[[], None]) -> Permits | bool | None:
        """Take the permit that a call needs: the permits to release, or None where it needs none.

        False where none is free: then ``freed`` is called once, when one comes free.
        """
        permits = self.permits[position] if self.permits is not None else None
        if permits is None or permits.take_or_watch(freed):
            return permits
        return False

    def wait_for_permit(self, position: int) -> Permits | None:
        """Take the permit that a call needs, waiting for it in this thread."""
        freed: SimpleQueue[None] = SimpleQueue()
        while isinstance(permits := self.permit(position, lambda: freed.put(None)), bool):
            freed.get()
        return permits
