# SPDX-License-Identifier: Apache-2.0
"""Bounded daemon threads for the bodies of synchronous tools."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue

from isonomy.runtime.closed import ExecutorClosed

Job = Callable[[], None]


class WorkerThreads:
    """Threads that start when they are needed, up to a limit, and then stay.

    They are daemons: a body that never ends must not keep the process from ending. Jobs must not
    raise. Safe to use from several threads.
    """

    def __init__(self, limit: int, name: str = "isonomy-tool") -> None:
        self._limit = limit
        self._name = name
        self._closed = False
        self.renew()

    def renew(self) -> None:
        """Be without threads and jobs: also in a process that was forked, where none came along."""
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._idle = 0
        self._waiting = 0
        self._count = 0
        self._started = 0

    @property
    def count(self) -> int:
        """How many threads live."""
        return self._count

    def submit(self, job: Job, *, overflow: bool = False) -> None:
        """Run ``job`` on a thread, or keep it until one is free.

        ``overflow`` gives the job a thread of its own above the limit where none is free: a call
        made by a body stands in for that body, which is blocked meanwhile (clause 8.7), so waiting
        for a thread could wait forever.

        Raises:
            ExecutorClosed: The executor is closed.
        """
        with self._lock:
            if self._closed:
                raise ExecutorClosed
            self._started += 1
            number = self._started
            if self._waiting < self._idle or self._count >= self._limit:
                apart = overflow and self._waiting >= self._idle
                grow = False
            else:
                apart, grow = False, True
                self._count += 1
            if not apart:
                self._waiting += 1
        if apart:
            # In the queue it would stand behind jobs that may wait for this very one.
            self._thread(job, number)
            return
        self._jobs.put(job)
        if grow:
            self._thread(self._work, number)

    def _thread(self, target: Job, number: int) -> None:
        threading.Thread(target=target, name=f"{self._name}-{number}", daemon=True).start()

    def _work(self) -> None:
        jobs, lock = self._jobs, self._lock
        with lock:
            self._idle += 1
        while True:
            job = jobs.get()
            with lock:
                self._idle -= 1
                if job is None:
                    self._count -= 1
                    return
                self._waiting -= 1
            job()
            del job  # a waiting thread must not keep the last call's values alive
            with lock:
                self._idle += 1

    def close(self) -> None:
        """Let idle threads end; busy ones end after their body. Jobs not yet begun are dropped."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            living = self._count
        with suppress(Empty):
            while True:
                self._jobs.get_nowait()
        for _ in range(living):
            self._jobs.put(None)
