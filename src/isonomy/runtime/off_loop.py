# SPDX-License-Identifier: Apache-2.0
"""Does on a thread what would keep an event loop waiting, and what nothing may interrupt."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from isonomy.runtime.closed import ExecutorClosed
from isonomy.runtime.threads import WorkerThreads

T = TypeVar("T")


async def off_loop(
    threads: WorkerThreads, work: Callable[[], T], give_up: Callable[[], object] | None = None
) -> T:
    """Give what `work` gives, which runs to its end whoever cancels the caller meanwhile.

    Without `give_up` a cancellation is left to the caller, who finds it in its task. With it,
    `give_up` is called, which makes `work` end soon, and the cancellation is raised after that.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def job() -> None:
        result: T | None = None
        raised: BaseException | None = None
        try:
            result = work()
        except BaseException as signal:  # noqa: BLE001 - handed to the caller's task
            raised = signal

        def tell() -> None:
            if raised is None:
                done.set_result(result)  # type: ignore[arg-type]  # what `work` gave
            else:
                done.set_exception(raised)

        loop.call_soon_threadsafe(tell)

    try:
        threads.submit(job, overflow=True)
    except ExecutorClosed:  # no thread comes any more; what was begun is finished all the same
        return work()
    cancelled: asyncio.CancelledError | None = None
    while not done.done():
        try:
            await asyncio.wait((done,))
        except asyncio.CancelledError as signal:
            cancelled = signal
            if give_up is not None:
                give_up()
    if cancelled is not None and give_up is not None:
        done.exception()  # somebody must have looked at it
        raise cancelled
    return done.result()
