# SPDX-License-Identifier: Apache-2.0
"""What both drivers do with a call whose body runs apart from its caller (clauses 8.8, 8.9)."""

from __future__ import annotations

import time
from contextvars import Context

from isonomy.contract.events import CancelReason, Progress
from isonomy.contract.outcome import Outcome
from isonomy.runtime.claim import BODY, CANCEL, DEADLINE
from isonomy.runtime.funnel import TIMEOUT, TOO_LATE, Funnel
from isonomy.runtime.running import Runner, enter_and_invoke
from isonomy.runtime.slot import Slot
from isonomy.tools.context import ToolContext
from isonomy.tools.tool import Invocation


class Apart:
    """Starts and ends slots; each end is claimed, so that there is exactly one."""

    def __init__(self, funnel: Funnel, runner: Runner) -> None:
        self._funnel = funnel
        self._runner = runner
        self.passing = runner.passing

    def reason(self, signal: BaseException) -> CancelReason:
        """Why a call is cancelled that ended with ``signal``."""
        return "suspended" if isinstance(signal, self.passing) else "cancelled"

    def begin(self, slot: Slot) -> Invocation:
        """Tell that the call starts; gives what its tool is told."""
        batch = slot.batch
        slot.started = self._funnel.begin(
            slot.tool, batch.id, batch.seq, slot.position, slot.call.call_id
        )
        slot.began_ns = time.perf_counter_ns()
        runner, tool = self._runner, slot.tool
        context = self._context(slot) if tool.wants_context else None
        invocation = Invocation(
            slot.call.arguments, runner.injected, context, runner.limits, runner.passing
        )
        slot.on_cancel(invocation.cancel)
        return invocation

    def _context(self, slot: Slot) -> ToolContext:
        def report(progress: float, total: float | None, message: str | None) -> None:
            if not slot.claim.taken and slot.started is not None:
                told = Progress(progress, total, message)
                self._funnel.progress(slot.started, slot.batch.seq, told)

        return ToolContext(
            slot.tool.name,
            slot.call.call_id,
            ends_at=slot.ends_at,
            is_cancelled=slot.abandoned,
            on_cancel=slot.on_cancel,
            on_progress=report,
        )

    def invoke(self, slot: Slot, invocation: Invocation, context: Context | None = None) -> Outcome:
        """Run the synchronous part of a body, in ``context`` or else in the current one."""
        executor = self._runner.executor
        if context is None:
            return enter_and_invoke(executor, slot.tool, invocation)
        return context.run(enter_and_invoke, executor, slot.tool, invocation)

    def end(self, slot: Slot, outcome: Outcome, invocation: Invocation) -> None:
        """End the call with its body's outcome, or count that as late."""
        if slot.claim.take(BODY):
            self._record(slot, outcome, invocation)
        else:
            self._funnel.late(slot.tool.name)

    def _record(self, slot: Slot, outcome: Outcome, invocation: Invocation | None = None) -> None:
        duration_ns = time.perf_counter_ns() - slot.began_ns
        decoded = invocation.decoded if invocation is not None else ()
        batch, started = slot.batch, slot.started
        if started is None:
            raise RuntimeError("a call ended that had not begun")
        batch.keep(self._funnel.end(started, batch.seq, slot.tool, outcome, duration_ns, decoded))

    def expire(self, slot: Slot) -> bool:
        """End a call whose deadline passed; false where its body ended it just before."""
        if slot.prevent(DEADLINE):
            self._funnel.never(slot.batch, slot.position, TOO_LATE)
            return True
        if not slot.claim.take(DEADLINE):
            return False
        self._record(slot, TIMEOUT)
        slot.tell_cancelled()
        return True

    def abandon(self, slot: Slot, reason: CancelReason) -> None:
        """End a call for its caller's sake, if nobody ended it before; a started one is told."""
        if not slot.prevent(CANCEL) and slot.claim.take(CANCEL):
            if slot.started is not None:  # else interrupted between its claim and its start
                self._funnel.cancelled(slot.started, slot.batch.seq, reason)
            slot.tell_cancelled()
