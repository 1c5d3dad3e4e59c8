# SPDX-License-Identifier: Apache-2.0
"""Rows about Java tools called from Python, in one process."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import repeat
from pathlib import Path
from time import perf_counter
from typing import Any

from isonomy.observe.memory import MemorySink
from isonomy.observe.metrics import Metrics
from isonomy.runtime.executor import ToolExecutor
from memory_rows import MEGABYTE, WARM_UP, resident
from registry import HERE, Effort, Measured, Missing, row
from timing import Loop, compare

#: 200 bytes as JSON.
ORDER: dict[str, Any] = {
    "customer": "customer-10017",
    "currency": "EUR",
    "items": [
        {"sku": "A-1", "title": "Screwdriver, flat, 4 mm", "quantity": 3, "price": 4.25},
        {"sku": "B-22", "title": "Hammer, 300 g", "quantity": 1, "price": 12.5},
    ],
}
#: After so many calls the JVM has compiled what it will compile.
WARM: int = 60_000


@row("java-from-python", "µs", bar=2, reference="bare JPype bytes, json and Jackson")
def java_call(effort: Effort) -> Measured:
    with _executor() as (ours, bare):
        return compare(_calls(ours, "total", effort), _bare_calls(bare, effort), effort)


@row("java-failure", "µs", bar=2, reference="java-from-python")
def java_failure(effort: Effort) -> Measured:
    with _executor() as (ours, _):
        return compare(_calls(ours, "refuse", effort), _calls(ours, "total", effort), effort)


@row("java-failure-rss", "MB", bar=5)
def java_failure_growth(effort: Effort) -> Measured:
    with _executor() as (ours, _):
        loop = _calls(ours, "refuse", effort)
        loop(effort.part_of(WARM_UP))
        before = resident()
        loop(effort.part_of(WARM_UP))
        return Measured((resident() - before) / MEGABYTE)


def _calls(ours: ToolExecutor, tool: str, effort: Effort) -> Loop:
    def loop(turns: int) -> float:
        call = ours.call
        start = perf_counter()
        for _ in repeat(None, turns):
            call(tool, ORDER)
        return perf_counter() - start

    loop(effort.part_of(WARM))
    return loop


def _bare_calls(bare: Callable[[bytes], Any], effort: Effort) -> Loop:
    def loop(turns: int) -> float:
        start = perf_counter()
        for _ in repeat(None, turns):
            json.loads(bytes(bare(json.dumps(ORDER).encode())))
        return perf_counter() - start

    loop(effort.part_of(WARM))
    return loop


@contextmanager
def _executor() -> Iterator[tuple[ToolExecutor, Callable[[bytes], Any]]]:
    """Give an executor of the Java tools as the main job makes it, and the same done by hand.

    Raises:
        Missing: There is no JDK, no JPype or no Java core.
    """
    from isonomy.bridge.jvm import JavaUnavailable, java_tools, start

    with tempfile.TemporaryDirectory() as classes:
        try:
            start()
        except JavaUnavailable as missing:
            raise Missing(str(missing)) from None
        _compile(classes)
        with ToolExecutor(
            java_tools("Orders", classpath=classes), sinks=[MemorySink(), Metrics()]
        ) as ours:
            yield ours, _bare(classes)


def _compile(classes: str) -> None:
    from isonomy.bridge.machine import JAR

    home = os.environ.get("JAVA_HOME")
    compiler = shutil.which(str(Path(home, "bin", "javac"))) if home else shutil.which("javac")
    if compiler is None:
        raise Missing("no JDK was found (JAVA_HOME or PATH)")
    source = HERE / "java_tools" / "Orders.java"
    command = [compiler, "-parameters", "-cp", str(JAR), "-d", classes, str(source)]
    subprocess.run(command, check=True)


def _bare(classes: str) -> Callable[[bytes], Any]:
    import jpype

    from isonomy.bridge.machine import running

    core = running().bridge("BridgeEndpoint").class_.getClassLoader()
    urls = jpype.JArray(jpype.java.net.URL)([jpype.java.io.File(classes).toURI().toURL()])
    loader = jpype.java.net.URLClassLoader(urls, core)
    bare: Callable[[bytes], Any] = jpype.JClass(loader.loadClass("Orders")).bare
    return bare
