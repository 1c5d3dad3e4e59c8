# SPDX-License-Identifier: Apache-2.0
"""The state of one batch while it runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import count

from isonomy.contract.call import ToolCall
from isonomy.contract.events import CallRecord
from isonomy.runtime.durable import Durable
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
        "calls", "closed", "durable", "failed", "id", "nested", "options", "permits", "records",
        "seq", "tools", "wake",
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
        #: Keeps the batch in a journal; None where nothing does.
        self.durable: Durable | None = None
        #: Whether the executor was closed under the batch.
        self.closed = False
        #: Ends what runs and wakes whoever waits for the batch; set by its driver.
        self.wake: Callable[[], object] | None = None

    def keep(self, record: CallRecord) -> None:
        """Keep the record of one call."""
        self.records[record.position] = record
        if not record.response.is_success:
            self.failed = True

    def look(self) -> None:
        """Have drivers look before each call whether it may start."""
        self.failed = True

    def stopped(self) -> bool:
        """Whether no further call may start because one failed (clause 8.6)."""
        return self.failed and self.options.fail_fast

    def ends_at(self, tool: Tool, batch_ends: float | None) -> float | None:
        """When a call whose turn comes now must have ended, in seconds of `time.monotonic()`."""
        own, given = tool.deadline, self.options.call_deadline
        if own is None and given is None:
            return batch_ends
        seconds = min(limit for limit in (own, given) if limit is not None)
        ends = time.monotonic() + seconds
        return ends if batch_ends is None else min(ends, batch_ends)
