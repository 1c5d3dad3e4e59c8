# SPDX-License-Identifier: Apache-2.0
"""Java tools in JVMs of their own, for a host that must survive what they do."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from isonomy.bridge.locating import command
from isonomy.bridge.machine import JAR, check_options, modest
from isonomy.bridge.unavailable import JavaUnavailable
from isonomy.bridge.workers.starting import Program
from isonomy.bridge.workers.worker_tools import WorkerTools, environment_with, pool_of
from isonomy.contract.misuse import Misuse

# What a JVM that crashes has to say goes where its tools print, not into a file of the folder.
_ALWAYS = ("-XX:+ErrorFileToStderr",)


def java_worker_tools(
    specs: tuple[str, ...],
    paths: tuple[str, ...],
    *,
    workers: int = 1,
    options: Sequence[str] = (),
    java_home: str | os.PathLike[str] | None = None,
    env: Mapping[str, str] | None = None,
    cwd: str | os.PathLike[str] | None = None,
    start_timeout: float = 30.0,
    max_frame: int = 64 * 1024 * 1024,
    calls_per_worker: int | None = None,
    grace: float = 1.0,
) -> WorkerTools:
    """Return the tools of Java classes in worker processes: `java_tools(..., isolate="process")`.

    A tool that calls `System.exit`, crashes its JVM or uses up its memory ends its worker only.

    Args:
        specs: What `java_tools` takes.
        paths: The class path, as `isonomy.bridge.classpath.resolve` gives it.
        workers: How many processes there are.
        options: Options of their JVMs, such as `-Xmx512m`.
        java_home: The folder of a JDK or JRE, found as by `isonomy.bridge.jvm.start` if left out.
        env: Environment variables beside, or in place of, those of this process.
        cwd: The working directory; that of this process when left out.
        start_timeout: Seconds that a worker has to load the classes.
        max_frame: The most bytes that the arguments or the result of a call may take.
        calls_per_worker: How many calls a worker has at the same time; None for no limit.
        grace: Seconds as in `isonomy.bridge.workers.python_workers.python_tools`.

    Raises:
        JavaUnavailable: There is no JVM or no Java core.
        WorkerUnavailable: A worker cannot be started, or does not load the classes.
        Misuse: An argument is none.
    """
    if isinstance(options, str):
        raise Misuse(f"the options of the JVM are a list of texts; give [{options!r}]")
    check_options(tuple(options))
    if not JAR.is_file():
        raise JavaUnavailable(
            f"the Java core {JAR} is not there; install a JDK and Maven and then"
            " isonomy again, or run `make jar` in a checkout"
        )
    java = command(java_home)
    chosen = [java, *_ALWAYS, *modest(options), *options]
    program = Program(
        who=java,
        command=(*chosen, "-cp", os.pathsep.join([str(JAR), *paths]), "dev.isonomy.worker.Main"),
        probe=(*chosen, "-version"),
        probe_tells_all=True,
        tools=specs,
        environment=environment_with(env),
        folder=None if cwd is None else os.fspath(cwd),
        timeout=start_timeout,
        max_frame=max_frame,
    )
    return WorkerTools(pool_of(program, workers, calls_per_worker, grace), "java")
