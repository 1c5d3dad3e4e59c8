# SPDX-License-Identifier: Apache-2.0
"""Runs programs with Java tools in processes of their own, which some of them do not survive."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

HANG = 60.0
"""Seconds after which a process hangs."""

PRELUDE = """
import os, signal, sys, threading, time
from pathlib import Path
from isonomy.bridge import jvm
from isonomy.contract.outcome import Raised, Returned, Settled
from isonomy.runtime.executor import ToolExecutor
from isonomy.tools.tool import Invocation

HOST = {"tenant": "t-1", "limit": 5, "given": 1}  # what tools of the classes need

def load(*names):
    specs = ["com.acme." + name for name in names]
    return {tool.name: tool for tool in jvm.java_tools(*specs, classpath=[os.environ["CLASSES"]])}

def ask(tool, **arguments):
    outcome = tool.invoke(Invocation(arguments))
    return outcome.value if isinstance(outcome, Returned) else outcome.error

def say(*words):
    print(*words, flush=True)
"""


def some_slow(scenes: Iterable[str], *quick: str) -> list[Any]:
    """Give parameters of which all but some run with the slow tests: each starts a process."""
    names = list(scenes)
    assert set(quick) <= set(names)
    return [
        pytest.param(name, id=name, marks=() if name in quick else pytest.mark.slow)
        for name in names
    ]


class Program:
    """A program that runs. Its standard error is that of the tests, unless asked for."""

    def __init__(self, code: str, classes: Path, folder: Path, *options: str) -> None:
        file = folder / "program.py"
        file.write_text(PRELUDE + textwrap.dedent(code), encoding="utf-8")
        environment = {**os.environ, "CLASSES": str(classes), "TELL_CLOSE": "yes"}
        environment.pop("PYTHONFAULTHANDLER", None)
        self.process = subprocess.Popen(
            [sys.executable, *options, str(file)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            cwd=folder,
        )

    def line(self) -> str:
        """Wait for the next line that the program writes."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().rstrip("\n")

    def signal(self, number: int) -> None:
        """Send a signal, now."""
        self.process.send_signal(number)

    def end(self, limit: float = HANG) -> tuple[int, list[str], str]:
        """Wait for the end and give exit code, the lines not read yet, and standard error."""
        began = time.monotonic()
        try:
            out, err = self.process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGKILL)
            out, err = self.process.communicate()
            raise AssertionError(f"it hung\n{out}\n{err}") from None
        self.seconds = time.monotonic() - began
        return self.process.returncode, out.splitlines(), err


def run(
    code: str, classes: Path, folder: Path, *options: str, limit: float = HANG
) -> tuple[int, list[str], str]:
    """Run a program to its end: its exit code, its lines, and its standard error."""
    return Program(code, classes, folder, *options).end(limit)
