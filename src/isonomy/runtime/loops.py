# SPDX-License-Identifier: Apache-2.0
"""Event loops in threads of their own, for asynchronous tools called from synchronous code."""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import threading
import time
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, Final, TypeVar

from isonomy.runtime.closed import ExecutorClosed

T = TypeVar("T")

_log = logging.getLogger("isonomy.loops")

#: Loops of the process that this one was forked from, kept so that nobody closes them.
_PARENTS: Final[list[LoopThread]] = []


class LoopThread:
    """One event loop that runs in one daemon thread until it is closed."""

    def __init__(self, name: str) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._lock = threading.Lock()
        self._closed = False
        self._grace = 0.0
        self._waiting: set[concurrent.futures.Future[Any]] = set()
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        try:
            while not self._closed:
                try:
                    self.loop.run_forever()
                except BaseException as raised:  # noqa: BLE001 - what a body left behind raised it
                    _log.warning("something on an event loop raised %s", type(raised).__name__)
        finally:
            self._finish()

    def _finish(self) -> None:
        try:
            self.loop.run_until_complete(_end_others(self._grace))
            self.loop.run_until_complete(self.loop.shutdown_asyncgens())
        except BaseException as raised:  # noqa: BLE001 - as above
            _log.warning("an event loop ended with %s", type(raised).__name__)
        finally:
            with suppress(RuntimeError):  # something on it did not end
                self.loop.close()

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Start ``coroutine`` on this loop; the caller waits on the future, which `close` cancels.

        Raises:
            ExecutorClosed: The loop is closed.
        """
        with self._lock:
            if self._closed:
                coroutine.close()
                raise ExecutorClosed
            future = asyncio.run_coroutine_threadsafe(coroutine, self.loop)
            self._waiting.add(future)
        future.add_done_callback(self._waiting.discard)
        return future

    def answers(self, within: float = 0.05) -> bool:
        """Whether the loop runs callbacks: false where a body blocks it for ``within`` seconds."""
        reached = threading.Event()
        try:
            self.loop.call_soon_threadsafe(reached.set)
        except RuntimeError:  # it was closed meanwhile
            return False
        return reached.wait(within)

    def stop(self, grace: float) -> None:
        """End what runs on the loop, within ``grace`` seconds, and wake who waits for it."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._grace = grace
            waiting = list(self._waiting)
        for future in waiting:
            future.cancel()
        with suppress(RuntimeError):  # it has ended by itself
            self.loop.call_soon_threadsafe(self.loop.stop)

    def join(self, seconds: float) -> None:
        """Wait for the loop's end, at most so long."""
        if threading.current_thread() is not self._thread:
            self._thread.join(seconds)


async def _end_others(grace: float) -> None:
    """Cancel every other task of the loop until none is left, or for ``grace`` seconds."""
    ends = time.monotonic() + grace
    while left := asyncio.all_tasks() - {asyncio.current_task()}:
        seconds = ends - time.monotonic()
        if seconds <= 0:
            return
        for task in left:
            task.cancel()
        await asyncio.wait(left, timeout=min(seconds, 0.05))


class Loops:
    """The loop that synchronous callers share, and one more for each caller that blocks a loop.

    A synchronous call made inside an asynchronous body blocks the loop of that body. Its own
    asynchronous tools therefore run on another loop, or nesting would wait for itself (clause 8.7).
    """

    def __init__(self) -> None:
        self._closed = False
        self._all: list[LoopThread] = []
        self.renew()

    def renew(self) -> None:
        """Be without loops: also in a process that was forked, where their threads did not come.

        The loops of its parent are left alone. To close one would take it out of what the kernel
        keeps for both processes, and the parent's would never wake again.
        """
        _PARENTS.extend(self._all)
        self._lock = threading.Lock()
        self._shared: LoopThread | None = None
        self._spare: list[LoopThread] = []
        self._all = []

    def _new(self) -> LoopThread:
        thread = LoopThread(f"isonomy-loop-{len(self._all) + 1}")
        self._all.append(thread)
        return thread

    def borrow(self, *, nested: bool) -> LoopThread:
        """The shared loop, or for a nested caller a loop that nobody uses meanwhile.

        Raises:
            ExecutorClosed: The executor is closed.
        """
        with self._lock:
            if self._closed:
                raise ExecutorClosed
            if nested:
                return self._spare.pop() if self._spare else self._new()
            if self._shared is None:
                self._shared = self._new()
            return self._shared

    def give_back(self, thread: LoopThread) -> None:
        """End a ``borrow``."""
        with self._lock:
            if thread is not self._shared and thread in self._all:
                self._spare.append(thread)

    def abandon(self, thread: LoopThread) -> None:
        """Use this loop no more: a body that ignores its deadline blocks it."""
        with self._lock:
            if thread is self._shared:
                self._shared = None
            if thread in self._spare:
                self._spare.remove(thread)

    def close(self, grace: float) -> None:
        """Stop every loop, and wait at most ``grace`` seconds for all of them."""
        ends = time.monotonic() + grace
        with self._lock:
            self._closed = True
            threads, self._all, self._spare, self._shared = self._all, [], [], None
        for thread in threads:
            thread.stop(grace)
        for thread in threads:
            thread.join(max(0.0, ends - time.monotonic()))
