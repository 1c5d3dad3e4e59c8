# SPDX-License-Identifier: Apache-2.0
"""Workers that share calls: each is replaced when it is lost or retired (W5)."""

from __future__ import annotations

import os
import subprocess
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

from isonomy.bridge.workers.later import Later
from isonomy.bridge.workers.pending import Lost, Pending, Unsent
from isonomy.bridge.workers.process import WorkerProcess, kill
from isonomy.bridge.workers.starting import Program
from isonomy.bridge.workers.unavailable import WorkerUnavailable
from isonomy.contract.error import Effect, ErrorKind
from isonomy.contract.mapping import settled
from isonomy.contract.outcome import Outcome

ATTEMPTS: Final = 3
"""Starts in a row that may fail before calls that wait for a worker are told."""
_YOUNG: Final = 1.0
"""Seconds in which a worker that ends without a call counts as one that failed to start."""
_PAUSE: Final = (0.0, 0.1, 0.4, 1.0, 2.0, 5.0, 10.0)
"""Seconds between starts, by how many failed in a row; the last one for all others."""
_DEAD: Final = 2.0

CLOSED: Final = settled(
    ErrorKind.INTERNAL, "the workers of this tool were closed and take no calls", Effect.NONE
)
NOT_SENT: Final = settled(ErrorKind.NOT_RUN, "not started: nobody waits for it", Effect.NONE)


class WorkerPool:
    """Some workers of one program. Safe to use from any thread.

    A process that was forked from one with workers gets its own with its first call.

    Args:
        program: What they run.
        size: How many there are.
        calls_per_worker: How many calls one has at most at the same time; None for no limit. With
            1 a call has a worker of its own, so that no other suffers where it must be killed.
        grace: Seconds that a body has to end after its call was cancelled, before its worker is
            retired; and seconds that `close` allows calls to end.
    """

    def __init__(
        self, program: Program, size: int, calls_per_worker: int | None = None, grace: float = 1.0
    ) -> None:
        #: What its workers run.
        self.program = program
        self._size = size
        self._most = calls_per_worker
        self._grace = grace
        self._later = Later()
        self._closed = False
        #: Every worker that has not ended, whether it gets calls or not.
        self._all: set[WorkerProcess] = set()
        self._forget_all()
        _pools.add(self)
        weakref.finalize(self, _hang_up, self._all).atexit = False

    def _forget_all(self) -> None:
        self._changed = threading.Condition()
        self._begun = False
        self._all.clear()
        self._live: list[WorkerProcess] = []
        self._starting: set[subprocess.Popen[bytes]] = set()
        #: How many workers are being started, or waited to be.
        self._coming = 0
        self._failures = 0
        self._why: str | None = None
        self._again_at = 0.0

    # Beginning ----------------------------------------------------------------------------------

    def begin(self) -> Sequence[Mapping[str, Any]]:
        """Start all workers and return the tools that they told of.

        Raises:
            WorkerUnavailable: One of them cannot be started; none is left then.
        """
        raised: list[WorkerUnavailable] = []

        def start() -> None:
            try:
                self._add(self._start())
            except WorkerUnavailable as unavailable:
                raised.append(unavailable)

        self._begun = True
        threads = [
            threading.Thread(target=start, name="isonomy-worker-start", daemon=True)
            for _ in range(self._size - 1)
        ]
        for thread in threads:
            thread.start()
        start()
        for thread in threads:
            thread.join()
        if raised:
            self.close(0)
            raise raised[0]
        return self._live[0].tools if self._live else ()

    def _start(self) -> WorkerProcess:
        process: list[subprocess.Popen[bytes]] = []

        def begun(started: subprocess.Popen[bytes]) -> None:
            process.append(started)
            with self._changed:
                self._starting.add(started)
                closed = self._closed
            if closed:
                kill(started)

        try:
            return self.program.start(begun)
        finally:
            with self._changed:
                self._starting.difference_update(process)

    def _add(self, worker: WorkerProcess) -> None:
        with self._changed:
            closed = self._closed
            self._all.add(worker)
            if not closed:
                self._live.append(worker)
                self._why = None
                self._changed.notify_all()
        ended = weakref.WeakMethod(self._ended)

        def tell(gone: WorkerProcess) -> None:
            method = ended()
            if method is not None:
                method(gone)

        try:
            worker.watch(tell)
        except RuntimeError as full:  # nobody would see its end
            worker.kill()
            worker.process.wait()
            worker.ended.set()
            self._ended(worker)
            raise WorkerUnavailable(f"a worker cannot be watched: {full}") from None
        if closed:
            worker.kill()

    # Calls --------------------------------------------------------------------------------------

    def carry(self, request: bytes, pending: Pending) -> bytes | Outcome:
        """Have a call answered by a worker.

        Returns:
            The payload of its outcome, or what is settled where there is none.

        Raises:
            BaseException: What a signal handler raised; the call goes on without anybody.
        """
        ended = False
        try:
            while True:
                worker = self._take(pending)
                if not isinstance(worker, WorkerProcess):
                    ended = True
                    return worker
                try:
                    worker.link.send(request, pending)
                    reply = worker.link.wait(pending)
                except Unsent:
                    self._give_back(pending)
                    if worker.link.over:
                        worker.lost()  # a process without its connection is of no use
                    continue
                except Lost:
                    ended = True
                    return worker.lost()
                ended = True
                return reply
        finally:
            if ended:
                self._give_back(pending)
            else:
                self._leave(pending)

    def _take(self, pending: Pending) -> WorkerProcess | Outcome:
        """Give the worker with the fewest calls to a call, or why it gets none."""
        while True:
            if not self._begun:
                self._begin_again()
            with self._changed:
                if self._closed:
                    return CLOSED
                if pending.cancelled:
                    return NOT_SENT
                best = self._least_busy()
                if best is not None:
                    pending.worker = best
                    best.given.add(pending)
                    best.has_served = True
                    return best
                if not self._live and not self._coming:
                    if self._why is not None and time.monotonic() < self._again_at:
                        message = f"no worker could be started: {self._why}"
                        return settled(ErrorKind.CONNECTION_LOST, message, Effect.NONE)
                    self._replace()
                    if not self._coming:
                        continue  # nobody would wake us
                self._changed.wait()

    def _least_busy(self) -> WorkerProcess | None:
        best = None
        for worker in self._live:
            if worker.usable and (best is None or len(worker.given) < len(best.given)):
                best = worker
        if best is None or (self._most is not None and len(best.given) >= self._most):
            return None
        return best

    def _give_back(self, pending: Pending) -> None:
        worker: WorkerProcess | None = pending.worker
        if worker is None:
            return
        with self._changed:
            worker.given.discard(pending)
            worker.overdue.discard(pending)
            done = worker.retired and worker.given <= worker.overdue
            if self._most is not None:
                self._changed.notify_all()
        pending.worker = None
        if done:
            worker.kill()

    def _leave(self, pending: Pending) -> None:
        """Have somebody else wait for a call whose caller left because of a signal."""
        worker: WorkerProcess | None = pending.worker
        if worker is None or not pending.number:
            self._give_back(pending)
            return
        threading.Thread(
            target=self._wait_instead,
            args=(worker, pending),
            name="isonomy-worker-left",
            daemon=True,
        ).start()

    def _wait_instead(self, worker: WorkerProcess, pending: Pending) -> None:
        self.cancel(pending)
        try:
            worker.link.wait(pending)
        except Lost:
            worker.lost()
        finally:
            self._give_back(pending)

    # Cancelling ---------------------------------------------------------------------------------

    def cancel(self, pending: Pending) -> None:
        """Say that nobody waits for a call; a body that does not end then loses its worker."""
        with self._changed:
            if pending.cancelled:
                return
            pending.cancelled = True
            worker: WorkerProcess | None = pending.worker
            self._changed.notify_all()
        if worker is not None:
            self._later.after(self._grace, partial(self._overdue, worker, pending))
            worker.link.cancel(pending)

    def _overdue(self, worker: WorkerProcess, pending: Pending) -> None:
        """Retire a worker whose call goes on after its grace (W5.4)."""
        with self._changed:
            if pending not in worker.given:
                return
            worker.overdue.add(pending)
            worker.retired = True
            if worker in self._live:
                self._live.remove(worker)
                self._replace()
            alone = worker.given <= worker.overdue
        if alone:
            worker.kill()
        else:
            self._later.after(self._grace, worker.kill)

    # Replacing ----------------------------------------------------------------------------------

    def _ended(self, worker: WorkerProcess) -> None:
        with self._changed:
            self._all.discard(worker)
            failed = not worker.has_served and time.monotonic() - worker.ready_at < _YOUNG
            if failed and not worker.retired:
                self._failed(f"{worker.lost().error.message} right after its start")  # type: ignore[union-attr]
            else:
                self._failures = 0
            if worker in self._live:
                self._live.remove(worker)
                self._replace()
            self._changed.notify_all()

    def _replace(self) -> None:
        """Start a worker on a thread, where one is missing; with the lock held."""
        if self._closed or len(self._live) + self._coming >= self._size:
            return
        if self._failures >= ATTEMPTS and time.monotonic() < self._again_at:
            return
        self._coming += 1
        thread = threading.Thread(target=self._bring, name="isonomy-worker-start", daemon=True)
        try:
            thread.start()
        except RuntimeError as full:
            self._coming -= 1
            self._failed(f"no thread can be started for it: {full}")

    def _bring(self) -> None:
        while True:
            try:
                worker = self._start()
            except WorkerUnavailable as unavailable:
                with self._changed:
                    pause = self._failed(str(unavailable))
                    if self._closed or self._failures >= ATTEMPTS:
                        self._coming -= 1
                        self._changed.notify_all()
                        return
                time.sleep(pause)
                continue
            with self._changed:
                self._coming -= 1
            with suppress(WorkerUnavailable):  # it has been told of as one that ended
                self._add(worker)
            return

    def _failed(self, why: str) -> float:
        self._why = why
        self._failures += 1
        pause = _PAUSE[min(self._failures, len(_PAUSE) - 1)]
        self._again_at = time.monotonic() + pause
        return pause

    # The end ------------------------------------------------------------------------------------

    def close(self, timeout: float | None = None) -> None:
        """End all workers; idempotent and bounded in time.

        Calls in flight have `timeout` seconds to end, `grace` by default; then their workers are
        killed.
        """
        with self._changed:
            self._closed = True
            workers, starting = list(self._all), list(self._starting)
            self._live.clear()
            self._changed.notify_all()
        for process in starting:
            kill(process)
        for worker in workers:
            worker.link.close()
        ends = time.monotonic() + (self._grace if timeout is None else timeout)
        for worker in workers:
            if not worker.ended.wait(max(0.0, ends - time.monotonic())):
                worker.kill()
        for worker in workers:
            worker.ended.wait(_DEAD)
        self._later.stop()  # nobody is left to be looked after

    # Forks --------------------------------------------------------------------------------------

    def _begin_again(self) -> None:
        with self._changed:
            if self._begun or self._closed:
                return
            self._begun = True
            for _ in range(self._size):
                self._replace()

    def in_copy(self) -> None:
        """Let go of workers that belong to the process from which this one was forked."""
        for worker in self._all:
            worker.link.release()
            worker.process.returncode = 0  # no child of this process: nobody waits for it
        for process in self._starting:
            process.returncode = 0
        self._later = Later()
        self._forget_all()


def _hang_up(workers: set[WorkerProcess]) -> None:
    """End the workers of a pool that nobody has any more: they end with their connections."""
    for worker in list(workers):
        worker.link.end()


_pools: Final[weakref.WeakSet[WorkerPool]] = weakref.WeakSet()


def _in_copy() -> None:
    for pool in list(_pools):
        pool.in_copy()


os.register_at_fork(after_in_child=_in_copy)
