# SPDX-License-Identifier: Apache-2.0
"""The layer below tools: whether invocations of plain callables returned or raised (clause 1.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from queue import SimpleQueue
from typing import Any

from isonomy.contract.outcome import Outcome
from isonomy.runtime.threads import WorkerThreads
from isonomy.tools.amounts import limit
from isonomy.tools.boundary import run


def execute_all(invocations: Iterable[Callable[[], Any]], *, parallel: int = 1) -> list[Outcome]:
    """Call each invocation once and return how each ended, in the order given.

    It knows nothing of tools: a returned value is a value, whatever it is. Awaitables are not
    awaited. With ``parallel`` above 1 the invocations run on that many threads.

    >>> execute_all([lambda: 1, lambda: {"error": "a value"}])
    [Returned(value=1), Returned(value={'error': 'a value'})]

    Raises:
        Misuse: ``parallel`` is below 1.
    """
    bodies = list(invocations)
    width = min(limit("parallel", parallel), len(bodies))
    if width <= 1:
        return [run(body) for body in bodies]
    outcomes: list[Outcome | None] = [None] * len(bodies)
    ended: SimpleQueue[None] = SimpleQueue()
    left = iter(enumerate(bodies))

    def work() -> None:
        for position, body in left:
            outcomes[position] = run(body)
        ended.put(None)

    threads = WorkerThreads(width, "isonomy-invocation")
    for _ in range(width):
        threads.submit(work)
    for _ in range(width):
        ended.get()
    threads.close()
    return [outcome for outcome in outcomes if outcome is not None]
