# SPDX-License-Identifier: Apache-2.0
"""The one event loop of a worker, for asynchronous bodies. It starts when there is one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Coroutine
from contextvars import Context
from typing import TYPE_CHECKING, Any

from isonomy.contract.outcome import Outcome
from isonomy.tools.boundary import caught, finish
from isonomy.tools.tool import Invocation
from isonomy.worker.ending import Vital

if TYPE_CHECKING:
    import asyncio

Work = Callable[[], Coroutine[Any, Any, None]]


class LoopThread:
    """An event loop in a daemon thread."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    def submit(self, work: Work, context: Context) -> None:
        """Run a coroutine, which must not raise, as a task in a context."""
        with self._lock:
            if self._loop is None:
                self._loop = self._start()
        self._loop.call_soon_threadsafe(self._begin, work, context)

    async def settle(self, outcome: Outcome, invocation: Invocation) -> Outcome:
        """Await what a body returned; a cancellation, whoever asked for it, is its own end."""
        import asyncio

        task: asyncio.Task[Any] | None = asyncio.current_task()
        loop = self._loop
        if task is not None and loop is not None:
            cancel = task.cancel
            invocation.on_cancel(lambda: loop.call_soon_threadsafe(cancel))
        try:
            return await finish(outcome)
        except asyncio.CancelledError as cancelled:
            return caught(cancelled)

    def _begin(self, work: Work, context: Context) -> None:
        with Vital():
            if self._loop is not None:
                task = self._loop.create_task(_done(work), context=context)
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    def _start(self) -> asyncio.AbstractEventLoop:
        import asyncio

        loop = asyncio.new_event_loop()
        threading.Thread(target=_run, args=(loop,), name="isonomy-loop", daemon=True).start()
        return loop


async def _done(work: Work) -> None:
    with Vital():
        await work()


def _run(loop: asyncio.AbstractEventLoop) -> None:
    import asyncio

    asyncio.set_event_loop(loop)
    with Vital():
        while not loop.is_closed():
            try:
                loop.run_forever()
            except (SystemExit, KeyboardInterrupt):
                continue  # of a task that a body left behind; the loop goes on for the others
