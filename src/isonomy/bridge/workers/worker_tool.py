# SPDX-License-Identifier: Apache-2.0
"""A tool whose body runs in a worker."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, NoReturn

from isonomy.bridge.bridged_tool import BridgedTool
from isonomy.bridge.workers.pending import Pending
from isonomy.bridge.workers.pool import WorkerPool
from isonomy.contract.error import Effect, ErrorKind
from isonomy.contract.frames import fits
from isonomy.contract.mapping import settled
from isonomy.contract.misuse import Misuse
from isonomy.contract.outcome import Outcome
from isonomy.tools.tool import Invocation


class WorkerTool(BridgedTool):
    """A tool of a worker, made by `python_tools` or `java_tools(..., isolate="process")`.

    Whatever its body does to its process, the call has one outcome: a worker that ends in the midst
    of it gives `connection_lost`, effect `possible` (W5.1). The caller's thread waits meanwhile;
    in the main thread signals are handled, so Ctrl-C ends the wait at once.
    """

    def __init__(
        self, pool: WorkerPool, description: Mapping[str, Any], language: str, max_frame: int
    ) -> None:
        super().__init__(description, language)
        self._pool = pool
        self._max_frame = max_frame

    def _answer(self, invocation: Invocation) -> Outcome:
        request = self._request(invocation)
        if not fits(request, self._max_frame):
            message = f"the arguments take more than {self._max_frame} bytes"
            return settled(ErrorKind.TOO_LARGE, message, Effect.NONE)
        context = invocation.context
        pending = Pending(None if context is None else context.progress)
        invocation.on_cancel(partial(self._pool.cancel, pending))
        reply = self._pool.carry(request, pending)
        return self._outcome(reply, invocation) if isinstance(reply, bytes) else reply

    def __reduce__(self) -> NoReturn:
        raise Misuse(
            f"the tool {self.name!r} belongs to workers of this process and cannot be sent to"
            " another; make it there"
        )
