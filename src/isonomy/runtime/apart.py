# SPDX-License-Identifier: Apache-2.0
"""What both drivers do with a call whose body runs apart from its caller (clauses 8.8, 8.9)."""

from __future__ import annotations

import threading
import time
from contextvars import Context

from isonomy.contract.events import CancelReason, ExecutionEvent, Progress
from isonomy.contract.outcome import Outcome
from isonomy.runtime.claim import BODY, CANCEL, DEADLINE
from isonomy.runtime.emitter import told_in_spite_of
from isonomy.runtime.funnel import TIMEOUT, TOO_LATE, Funnel
from isonomy.runtime.running import Runner, drop, enter_and_invoke
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

    def begin(self, slot: Slot) -> Invocation | None:
        """Tell that the call starts and give what its tool is told; None where it must not run.

        Whoever gets an invocation frees the slot at its end.
        """
        if not slot.begin.take(BODY):
            return None
        batch, runner, tool = slot.batch, self._runner, slot.tool
        slot.began_ns = time.perf_counter_ns()
        try:
            slot.started = self._funnel.begin(
                tool, batch.id, batch.seq, slot.position, slot.call.call_id
            )
        except KeyboardInterrupt as interrupt:
            told = told_in_spite_of(interrupt)
            slot.started = told if isinstance(told, ExecutionEvent) else None
            raise
        if slot.claim.taken:  # it was ended while it was told to start; its body never does
            slot.free()
            return None
        context = self._context(slot) if tool.wants_context else None
        invocation = Invocation(
            slot.call.arguments, runner.injected, context, runner.limits, runner.passing
        )
        slot.on_cancel(invocation.cancel)
        return invocation

    def _context(self, slot: Slot) -> ToolContext:
        reporting = slot.reporting = threading.RLock()

        def report(progress: float, total: float | None, message: str | None) -> None:
            with reporting:
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

    def let_go(self, slot: Slot, returned: Outcome) -> bool:
        """Close what a body returned to be awaited, if nobody began to: the call has ended.

        It is a late result then. False where there is nothing to close.
        """
        if not drop(returned):
            return False
        self._funnel.late(slot.tool.name)
        return True

    def _record(self, slot: Slot, outcome: Outcome, invocation: Invocation | None = None) -> None:
        duration_ns = time.perf_counter_ns() - slot.began_ns
        decoded = invocation.decoded if invocation is not None else ()
        batch, started = slot.batch, slot.started
        if started is None:
            raise RuntimeError("a call ended that had not begun")
        slot.hush()
        told = (started, batch.seq, slot.tool, outcome, duration_ns, decoded)
        try:
            batch.keep(self._funnel.end(*told))
        except KeyboardInterrupt as interrupt:
            if told_in_spite_of(interrupt) is None:
                self._funnel.end(*told)  # a claimed end is told before it propagates (8.9)
            raise

    def expire(self, slot: Slot) -> bool:
        """End a call whose deadline passed; false where its body ended it just before."""
        if slot.prevent(DEADLINE):
            self._funnel.never(slot.batch, slot.position, TOO_LATE)
            return True
        if not slot.claim.take(DEADLINE):
            return False
        if slot.wait_until_started():
            self._record(slot, TIMEOUT)
        else:
            self._funnel.never(slot.batch, slot.position, TOO_LATE)
        slot.tell_cancelled()
        return True

    def abandon(self, slot: Slot, reason: CancelReason) -> bool:
        """End a call for its caller's sake; false where it was ended before.

        One that had started is told as cancelled.
        """
        if slot.prevent(CANCEL):
            return True
        if not slot.claim.take(CANCEL):
            return False
        if slot.wait_until_started() and slot.started is not None:
            slot.hush()
            self._funnel.cancelled(slot.started, slot.batch.seq, reason)
        slot.tell_cancelled()
        return True
