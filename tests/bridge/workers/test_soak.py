# SPDX-License-Identifier: Apache-2.0
"""A minute of everything at once: nothing grows, nothing is left, every call has its answer."""

from __future__ import annotations

import os
import random
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.bridge.workers.conftest import HERE

from isonomy import ToolExecutor, java_tools, python_tools
from isonomy.contract.call import ToolCall, ToolRequest
from isonomy.engines.java import JavaHost, JavaSource, PythonSource
from isonomy.observe.metrics import Metrics
from isonomy.runtime.closed import ExecutorClosed

SECONDS = float(os.environ.get("SOAK_SECONDS", "60"))
THREADS = 16
MEGABYTE = 2**20
CLOSE_LIMIT = 20

LOST: set[str | None] = {"connection_lost"}
#: A call, the deadline that it has, and how it may end: a sibling may take its worker with it.
CALLS: list[tuple[str, dict[str, Any], float | None, set[str | None]]] = [
    ("add", {"a": 1}, None, {None}),
    ("add", {"a": 2}, 30, {None}),
    ("add", {"a": "no"}, None, {"invalid_arguments"}),
    ("nap", {"seconds": 0.02}, 30, {None}),
    ("nap_async", {"seconds": 0.02}, 30, {None}),
    ("nap_async", {"seconds": 30}, 0.05, {"timeout"}),
    ("leave", {"code": 0}, 30, LOST),
    ("later", {"number": 3}, None, {None}),
    ("fail", {"message": "no quote"}, None, {"exception"}),
    ("exit", {"code": 3}, 30, LOST),
    ("overflow", {}, None, {"exception"}),
    ("no_such_tool", {}, None, {"not_found"}),
]
#: How often each of them is chosen.
WEIGHTS = [20, 20, 5, 10, 10, 3, 1, 20, 10, 1, 1, 2]


def threads_and_memory() -> tuple[int, float]:
    here = psutil.Process()
    return here.num_threads(), here.memory_info().rss / MEGABYTE


def children_since(before: set[int]) -> list[psutil.Process]:
    return [c for c in psutil.Process().children(recursive=True) if c.pid not in before]


@pytest.mark.slow
def test_a_minute_of_mixed_faults(classes: Path) -> None:
    metrics = Metrics()
    specs = ("com.acme.Prices#later", "com.acme.Prices#fail", "com.acme.Lethal")
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    wanted = [f"hard_tools#{name}" for name in ("add", "nap", "nap_async", "leave")]
    python = python_tools(*wanted, path=[HERE], workers=2)
    java = java_tools(*specs, classpath=classes, isolate="process", workers=2)
    executor = ToolExecutor([*python, *java], inject={"tenant": "t-1", "limit": 5}, sinks=[metrics])
    ended: Counter[tuple[str, str | None]] = Counter()
    wrong: list[str] = []
    ends = time.monotonic() + SECONDS

    def work(seed: int) -> None:
        chance = random.Random(seed)
        mine: Counter[tuple[str, str | None]] = Counter()
        while time.monotonic() < ends and not wrong:
            name, arguments, deadline, allowed = chance.choices(CALLS, WEIGHTS)[0]
            response = executor.call(name, arguments, deadline=deadline)
            kind = None if response.error is None else response.error.kind.value
            mine[name, kind] += 1
            if kind not in allowed | LOST | ({"timeout", "not_run"} if deadline else set()):
                wrong.append(f"{name} with {arguments}: {response}")
        ended.update(mine)

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(THREADS)]
    for each in workers:
        each.start()
    time.sleep(SECONDS / 3)
    early = threads_and_memory()
    for each in workers:
        each.join()
    late = threads_and_memory()
    assert wrong == []
    assert late[0] <= early[0] + 4
    assert late[1] <= early[1] + 20
    counted = metrics.snapshot()
    assert counted.in_flight == 0
    assert counted.count() == ended.total()
    # Most calls are not taken down by the few that kill their worker, and workers come back.
    assert ended["add", None] > ended.total() / 10
    assert ended["later", None] > ended.total() / 10

    def wait_for_the_end() -> None:
        with pytest.raises(ExecutorClosed):
            executor.call("nap", {"seconds": 60})

    stuck = [threading.Thread(target=wait_for_the_end) for _ in range(4)]
    for each in stuck:
        each.start()
    while metrics.snapshot().in_flight < len(stuck):
        time.sleep(0.01)
    began = time.monotonic()
    executor.close()
    python.close()
    java.close()  # type: ignore[attr-defined]
    assert time.monotonic() - began < CLOSE_LIMIT
    for each in stuck:
        each.join()
    _, alive = psutil.wait_procs(children_since(before), timeout=30)
    assert alive == []


@pytest.mark.slow
def test_a_minute_of_mixed_faults_in_a_java_host(classes: Path) -> None:
    """The same the other way round: a Java executor, Python tools in workers, sixteen threads."""
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    chosen = {name for name, *_ in CALLS} - {"exit"}  # it would end the host
    wanted = [f"hard_tools#{name}" for name in ("add", "nap", "nap_async", "leave")]
    specs = ("com.acme.Prices#later", "com.acme.Prices#fail", "com.acme.Lethal#overflow")
    chance = random.Random(7)
    ended: Counter[tuple[str, str | None]] = Counter()
    with JavaHost(
        [JavaSource(spec) for spec in specs],
        classpath=classes,
        python=[PythonSource(wanted, [str(HERE)], sys.executable, workers=2)],
        settings={"inject": {"tenant": "t-1", "limit": 5}},
    ) as host:
        (java,) = (c for c in children_since(before) if "java" in c.name())
        began = time.monotonic()
        early: tuple[int, float] | None = None
        while (now := time.monotonic() - began) < SECONDS:
            if early is None and now > SECONDS / 3:
                early = java.num_threads(), java.memory_info().rss / MEGABYTE
            picked = [call for call in chance.choices(CALLS, WEIGHTS, k=64) if call[0] in chosen]
            calls = tuple(ToolCall(name, arguments) for name, arguments, *_ in picked)
            answer = host.run(ToolRequest(calls), parallel=THREADS, call_deadline=2)
            records = answer.response["records"]
            assert [record["position"] for record in records] == list(range(len(calls)))
            for (name, arguments, _, allowed), record in zip(picked, records, strict=True):
                kind = record["response"].get("error", {}).get("kind")
                ended[name, kind] += 1
                assert kind in allowed | LOST | {"timeout"}, (name, arguments, record)
        assert early is not None
        assert java.num_threads() <= early[0] + 8
        assert java.memory_info().rss / MEGABYTE <= early[1] + 60
        assert ended["add", None] > ended.total() / 10
        assert ended["later", None] > ended.total() / 10
    _, alive = psutil.wait_procs(children_since(before), timeout=30)
    assert alive == []
