# SPDX-License-Identifier: Apache-2.0
"""Calls in a worker, from a request to the envelope that answers it (W4)."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextvars import Context, ContextVar
from functools import partial
from typing import Any, Final

from isonomy.contract.encoding import Walk
from isonomy.contract.envelope import BridgeCall, decode_call, encode_outcome
from isonomy.contract.error import Effect, ErrorKind
from isonomy.contract.frames import Frame, FrameType, fits
from isonomy.contract.jsontext import may_hold_tags, write
from isonomy.contract.mapping import settled
from isonomy.contract.outcome import Outcome, Raised, Returned
from isonomy.contract.tagged import PortableError
from isonomy.tools import boundary
from isonomy.tools.arguments import Fresh
from isonomy.tools.context import ToolContext
from isonomy.tools.tool import Invocation, Limits, Tool
from isonomy.worker.connection import Connection
from isonomy.worker.logs import Logs
from isonomy.worker.loop import LoopThread

QUICK_NS: Final = 1_000_000
"""A body that takes less is followed by one that the reading thread runs itself."""

#: The number of the call that this code works for, 0 for none.
number_here: Final[ContextVar[int]] = ContextVar("isonomy_call", default=0)

_PLAIN: Final = frozenset(
    map(id, (str, int, float, bool, type(None), dict, list, tuple, bytes, set))
)


class Call:
    """One call that a worker was given."""

    __slots__ = ("invocation", "limits", "number", "quick", "tool")

    def __init__(self, number: int, tool: Tool, invocation: Invocation, quick: bool) -> None:
        self.number = number
        self.tool = tool
        self.invocation = invocation
        self.limits = invocation.limits
        #: Whether the body probably takes no time worth another thread.
        self.quick = quick


class Calls:
    """The calls that run, by number. Safe to use from several threads."""

    def __init__(self, connection: Connection, tools: Iterable[Tool], logs: Logs) -> None:
        self._connection = connection
        self._tools: Mapping[str, Tool] = {tool.name: tool for tool in tools}
        self._quick: set[str] = set()
        self._logs = logs
        #: The calls that run, by number.
        self.running = logs.running
        self._loop = LoopThread()
        self._limits: dict[tuple[int, bool], Limits] = {}

    def read(self, frame: Frame) -> Call | None:
        """Read a request; None where it was answered at once, as no body can run."""
        number = frame.number
        self.running[number] = None
        if self._logs.kept:
            self._logs.send_kept()
        try:
            request = decode_call(frame.payload)
        except PortableError as malformed:
            message = f"a malformed request: {malformed.message}"
            self._refuse(number, ErrorKind.INTERNAL, message)
            return None
        tool = self._tools.get(request.tool)
        if tool is None:
            name = write(Walk().root(request.tool)).decode()
            self._refuse(number, ErrorKind.NOT_FOUND, f"no tool named {name}")
            return None
        arguments = request.arguments
        if type(arguments) is dict and not may_hold_tags(frame.payload):
            arguments = Fresh(arguments)
        invocation = Invocation(arguments, request.injected, None, self._limits_of(request))
        if tool.wants_context:
            invocation.context = self._context(number, request, invocation)
        self.running[number] = invocation
        return Call(number, tool, invocation, request.tool in self._quick and not tool.is_async)

    def run(self, call: Call) -> None:
        """Run a body in this thread, or on the loop where it awaits, and send its envelope."""
        tool, invocation = call.tool, call.invocation
        context = Context()
        context.run(number_here.set, call.number)
        if tool.is_async:
            self._loop.submit(partial(self._finish, call), context)
            return
        began = time.perf_counter_ns()
        outcome = context.run(tool.invoke, invocation)
        if (time.perf_counter_ns() - began < QUICK_NS) is not call.quick:
            (self._quick.discard if call.quick else self._quick.add)(tool.name)
        if _is_pending(outcome):
            self._loop.submit(partial(self._finish, call, outcome), context)
        else:
            self._end(call, outcome)

    async def _finish(self, call: Call, returned: Outcome | None = None) -> None:
        """Run an asynchronous body, or await what a body returned, and send its envelope."""
        if returned is None:
            returned = call.tool.invoke(call.invocation)
        outcome = await self._loop.settle(returned, call.invocation)
        self._end(call, outcome)

    def cancel(self, number: int) -> None:
        """Tell the body of a call that nobody waits for it; nothing where it has ended (W4.4)."""
        invocation = self.running.get(number)
        if invocation is not None:
            # Callbacks are a body's own code: what they raise concerns nobody here.
            boundary.run(invocation.cancel)

    def _end(self, call: Call, outcome: Outcome) -> None:
        limits = call.limits
        decoded = call.invocation.decoded
        payload = _written(outcome, decoded, limits)
        if not fits(payload, self._connection.limit):
            message = f"the result takes more than {self._connection.limit} bytes"
            payload = encode_outcome(settled(ErrorKind.TOO_LARGE, message), decoded=decoded)
        self._connection.answer(call.number, payload, self.running)

    def _refuse(self, number: int, kind: ErrorKind, message: str) -> None:
        payload = encode_outcome(settled(kind, message, Effect.NONE))
        self._connection.answer(number, payload, self.running)

    def _context(self, number: int, request: BridgeCall, invocation: Invocation) -> ToolContext:
        remaining = request.remaining_ms
        return ToolContext(
            request.tool,
            request.call_id,
            request.attempt,
            ends_at=None if remaining is None else time.monotonic() + remaining / 1000,
            is_cancelled=lambda: invocation.cancelled,
            on_cancel=invocation.on_cancel,
            on_progress=partial(self._progress, number),
        )

    def _progress(
        self, number: int, progress: float, total: float | None, message: str | None
    ) -> None:
        told: dict[str, Any] = {"progress": progress, "total": total, "message": message}
        frame = Frame(FrameType.PROGRESS, number, write(Walk().root(told)))
        if fits(frame.payload, self._connection.limit):
            self._connection.send(frame, lambda: number in self.running)

    def _limits_of(self, request: BridgeCall) -> Limits:
        key = (request.max_result_bytes, request.strict_values)
        limits = self._limits.get(key)
        if limits is None:
            limits = self._limits[key] = Limits(*key)
        return limits


def _is_pending(outcome: Outcome) -> bool:
    """Tell whether a body returned an awaitable; looking a type up is cheaper than asking.

    By its number: a class may not be hashable.
    """
    if type(outcome) is not Returned or id(type(outcome.value)) in _PLAIN:
        return False
    return boundary.is_awaitable(outcome.value)


def _written(outcome: Outcome, decoded: Sequence[str], limits: Limits) -> bytes:
    """Write an envelope; what stops even that, such as memory that is used up, is told in one."""
    written = boundary.run(_encode, (), outcome, decoded, limits)
    if type(written) is Returned:
        envelope: bytes = written.value
        return envelope
    error = written.error if isinstance(written, Raised) else None
    why = f"{error.type}: {error.message}" if error else "unknown"
    return encode_outcome(
        settled(ErrorKind.INTERNAL, f"the outcome cannot be written: {why}"), decoded=decoded
    )


def _encode(outcome: Outcome, decoded: Sequence[str], limits: Limits) -> bytes:
    return encode_outcome(
        outcome, decoded=decoded, max_bytes=limits.max_result_bytes, strict=limits.strict_values
    )
