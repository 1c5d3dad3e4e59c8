# SPDX-License-Identifier: Apache-2.0
"""The tools of one pool of workers, as a list that can be closed."""

from __future__ import annotations

import atexit
import os
import weakref
from collections.abc import Mapping
from types import TracebackType
from typing import Final

from isonomy.bridge.workers.pool import WorkerPool
from isonomy.bridge.workers.starting import Program
from isonomy.bridge.workers.unavailable import WorkerUnavailable
from isonomy.bridge.workers.worker_tool import WorkerTool
from isonomy.contract.misuse import Misuse
from isonomy.tools.tool import Tool


class WorkerTools(list[Tool]):
    """Tools in workers; leaving its `with` block, or `close`, ends the workers.

    Workers also end with this process, and when nobody has their tools any more.
    """

    def __init__(self, pool: WorkerPool, language: str) -> None:
        program = pool.program
        told_of = pool.begin()
        try:
            super().__init__(
                WorkerTool(pool, told, language, program.max_frame) for told in told_of
            )
        except Misuse as refused:
            pool.close(0)
            raise WorkerUnavailable(
                f"{program.what} does not speak as a worker: {refused}"
            ) from None
        self._pool = pool
        _open.add(pool)

    def close(self, timeout: float | None = None) -> None:
        """End the workers; idempotent and bounded in time.

        Args:
            timeout: Seconds that calls in flight have to end before their workers are killed;
                the grace of the workers where it is left out.
        """
        self._pool.close(timeout)

    def __enter__(self) -> WorkerTools:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        frames: TracebackType | None,
    ) -> None:
        self.close()


def pool_of(
    program: Program, workers: int, calls_per_worker: int | None, grace: float
) -> WorkerPool:
    """Make a pool; raises `Misuse` for numbers that are none."""
    if type(workers) is not int or workers < 1:
        raise Misuse(f"the number of workers is at least 1, got {workers!r}")
    if calls_per_worker is not None and calls_per_worker < 1:
        raise Misuse(f"calls_per_worker is at least 1, or None, got {calls_per_worker!r}")
    if not 0 <= grace < float("inf"):
        raise Misuse(f"grace is a number of seconds, got {grace!r}")
    if not 0 < program.timeout < float("inf"):
        raise Misuse(f"start_timeout is a positive number of seconds, got {program.timeout!r}")
    if not 65_536 <= program.max_frame < 1 << 32:
        raise Misuse(f"max_frame is 65,536 bytes to 4 GiB, got {program.max_frame!r}")
    return WorkerPool(program, workers, calls_per_worker, grace)


def environment_with(more: Mapping[str, str] | None) -> dict[str, str] | None:
    """Add variables to those of this process; None where there are none to add.

    Raises:
        Misuse: One of them is none.
    """
    if more is None:
        return None
    given: list[tuple[object, object]] = list(more.items())
    for name, value in given:
        if not (isinstance(name, str) and isinstance(value, str)):
            raise Misuse(f"env maps texts to texts, got {name!r} with a {type(value).__name__}")
        if not name or "=" in name or "\0" in name + value:
            raise Misuse(f"env has {name!r}, which no process can be given")
    return {**os.environ, **more}


_open: Final[weakref.WeakSet[WorkerPool]] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for pool in list(_open):
        pool.close()
