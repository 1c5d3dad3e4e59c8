# SPDX-License-Identifier: Apache-2.0
"""Python tools in processes of their own."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from isonomy.bridge.workers.starting import Program
from isonomy.bridge.workers.unavailable import WorkerUnavailable
from isonomy.bridge.workers.worker_tools import WorkerTools, environment_with, pool_of
from isonomy.contract.misuse import Misuse

__all__ = ["WorkerTools", "WorkerUnavailable", "python_tools"]


_PROBE: Final = """
import sys
try:
    import isonomy.worker.__main__
except ImportError as missing:
    if missing.name != "isonomy":
        raise
    sys.exit(
        "%s: %s; install isonomy into this Python, or name one that has it"
        % (type(missing).__name__, missing)
    )
"""
"""Written so that every Python 3 can run it."""


def python_tools(
    *modules: str,
    workers: int = 1,
    python: str | os.PathLike[str] | None = None,
    env: Mapping[str, str] | None = None,
    cwd: str | os.PathLike[str] | None = None,
    path: Iterable[str | os.PathLike[str]] = (),
    start_timeout: float = 30.0,
    max_frame: int = 64 * 1024 * 1024,
    calls_per_worker: int | None = None,
    grace: float = 1.0,
) -> WorkerTools:
    """Return the tools of Python modules, whose bodies run in worker processes.

    What a tool does to its process (exit, crash, memory that runs out, what it prints) concerns no
    other process; with several workers, bodies in Python run at the same time.

    Args:
        modules: Names of modules, each with functions under `@tool`.
        workers: How many processes there are.
        python: The interpreter, or the folder of another virtual environment, in which `isonomy`
            must be installed; that of this process where it is left out, which then also imports
            from where this process does.
        env: Environment variables beside, or in place of, those of this process.
        cwd: The working directory; that of this process when left out.
        path: Folders to import from before all others.
        start_timeout: Seconds that a worker has to import the modules.
        max_frame: The most bytes that the arguments or the result of a call may take.
        calls_per_worker: How many calls a worker has at the same time; None for no limit. With 1 a
            call has a worker of its own, and no other is lost where it must be killed.
        grace: Seconds that a body has to end after its call was cancelled or its deadline passed;
            then its worker is replaced, and killed at the latest after the same time again.

    Returns:
        The tools, a list that can be closed. They may be called from any thread, also in a process
        that was forked from this one, which gets workers of its own.

    Raises:
        WorkerUnavailable: A worker cannot be started, or a module not be imported by it.
        Misuse: An argument is none.
    """
    if not modules:
        raise Misuse("python_tools was given no module; name at least one, as 'acme.tools'")
    given: tuple[object, ...] = modules
    for name in given:
        if not isinstance(name, str) or not name.strip():
            raise Misuse(f"python_tools takes names of modules as texts, got {name!r}")
    interpreter = _interpreter(python)
    folders = [str(Path(folder).absolute()) for folder in path]
    if python is None:
        folders += [str(Path(entry).absolute()) for entry in sys.path]
    program = Program(
        who=interpreter,
        # -P: a file in the working directory must not stand in for a module that a worker needs
        command=(interpreter, "-P", "-m", "isonomy.worker"),
        probe=(interpreter, "-P", "-c", _PROBE),
        tools=modules,
        path=folders,
        environment=environment_with(env),
        folder=None if cwd is None else os.fspath(cwd),
        timeout=start_timeout,
        max_frame=max_frame,
    )
    return WorkerTools(pool_of(program, workers, calls_per_worker, grace), "python")


def _interpreter(python: str | os.PathLike[str] | None) -> str:
    if python is None:
        return sys.executable
    named = os.fspath(python)
    found = shutil.which(named)
    if found is None and Path(named).is_dir():
        return str(Path(named, "bin", "python"))
    return found or named
