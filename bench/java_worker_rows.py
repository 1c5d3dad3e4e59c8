# SPDX-License-Identifier: Apache-2.0
"""The row about Java tools in a process of their own, called from Python."""

from __future__ import annotations

import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import repeat
from pathlib import Path
from time import perf_counter

from bridge_rows import ORDER, WARM
from isonomy.observe.memory import MemorySink
from isonomy.observe.metrics import Metrics
from isonomy.runtime.executor import ToolExecutor
from registry import HERE, Effort, Measured, Missing, row
from timing import Loop, compare

_PREFIX = 4
"""Bytes of the length before each message of the bare echo."""


@row(
    "java-from-python-worker",
    "µs",
    bar=1.6,
    reference="bare Unix-socket echo, json and Jackson",
)
def java_worker_call(effort: Effort) -> Measured:
    from isonomy.bridge.jvm import java_tools
    from isonomy.bridge.machine import JAR

    if not JAR.exists():
        raise Missing("the Java core is not built; `make jar` builds it")
    with tempfile.TemporaryDirectory() as classes:
        _compile(JAR, classes)
        with (
            java_tools("Orders", classpath=classes, isolate="process") as tools,
            ToolExecutor(tools, sinks=[MemorySink(), Metrics()]) as ours,
            _bare(JAR, classes) as bare,
        ):
            return compare(_calls(ours, effort), _echoes(bare, effort), effort)


def _calls(ours: ToolExecutor, effort: Effort) -> Loop:
    def loop(turns: int) -> float:
        call = ours.call
        start = perf_counter()
        for _ in repeat(None, turns):
            call("total", ORDER)
        return perf_counter() - start

    loop(effort.part_of(WARM))
    return loop


def _echoes(bare: socket.socket, effort: Effort) -> Loop:
    def loop(turns: int) -> float:
        start = perf_counter()
        for _ in repeat(None, turns):
            message = json.dumps(ORDER).encode()
            bare.sendall(struct.pack(">I", len(message)) + message)
            json.loads(bare.recv(65_536)[_PREFIX:])
        return perf_counter() - start

    loop(effort.part_of(WARM))
    return loop


@contextmanager
def _bare(jar: Path, classes: str) -> Iterator[socket.socket]:
    path = str(Path(classes, "s"))
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(path)
        listener.listen(1)
        command = [
            _command("java"),
            "-XX:+UseSerialGC",
            "-cp",
            f"{jar}:{classes}",
            "BareEcho",
            path,
        ]
        with subprocess.Popen(command) as process:
            connected, _ = listener.accept()
            with connected:
                yield connected
            process.wait()


def _compile(jar: Path, classes: str) -> None:
    sources = [str(source) for source in (HERE / "java_tools").glob("*.java")]
    command = [_command("javac"), "-parameters", "-cp", str(jar), "-d", classes, *sources]
    subprocess.run(command, check=True)


def _command(name: str) -> str:
    home = os.environ.get("JAVA_HOME")
    found = shutil.which(str(Path(home, "bin", name))) if home else shutil.which(name)
    if found is None:
        raise Missing("no JDK was found (JAVA_HOME or PATH)")
    return found
