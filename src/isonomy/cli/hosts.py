# SPDX-License-Identifier: Apache-2.0
"""The hosts that `isonomy run` can run calls in: this process, or a Java one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from enum import StrEnum
from typing import Any, Final

from isonomy.bridge.unavailable import JavaUnavailable
from isonomy.cli.config import Config, PythonModule
from isonomy.cli.job import Runner, RunOptions
from isonomy.cli.servers import server_complaint, server_settings
from isonomy.cli.standard import tell
from isonomy.cli.toolbox import class_path, folders, interpreter, make_executor
from isonomy.contract.call import ToolRequest
from isonomy.contract.events import Event, ExecutionEvent
from isonomy.contract.misuse import Misuse
from isonomy.engines.java import JavaHost, JavaSource, PythonSource, SourceRefused
from isonomy.runtime.executor import ToolExecutor


class HostLanguage(StrEnum):
    """In which language the executor is written."""

    PYTHON = "python"
    JAVA = "java"


class _Here:
    def __init__(self, executor: ToolExecutor) -> None:
        self._executor = executor

    def run(self, request: ToolRequest, options: RunOptions) -> dict[str, Any]:
        event = self._executor.run(request, **vars(options))
        return event.to_wire()


class _Java:
    def __init__(self, host: JavaHost) -> None:
        self._host = host

    def run(self, request: ToolRequest, options: RunOptions) -> dict[str, Any]:
        answer = self._host.run(request, **vars(options))
        response: dict[str, Any] = answer.response
        return response


Watch = Callable[[Mapping[str, Any]], None]
"""Takes execution events, trees, in whichever thread."""


class _Watched:
    """Hands on the execution events of this process, each where it is made."""

    direct = True

    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    def emit(self, event: Event) -> None:
        if isinstance(event, ExecutionEvent):
            self._watch(event.to_wire())


@contextmanager
def _here(config: Config, watch: Watch | None) -> Iterator[Runner]:
    sinks = [] if watch is None else [_Watched(watch)]
    with make_executor(config, sinks=sinks) as executor:
        yield _Here(executor)


@contextmanager
def _in_java(config: Config, watch: Watch | None) -> Iterator[Runner]:
    # The same complaints as in this process, with file and line, before another is started; no
    # server is begun twice.
    make_executor(config, servers=False).close()
    servers = server_settings(config)
    _tell_not_isolated(config)
    limits = config.limits
    try:
        host = JavaHost(
            [JavaSource(each.reference, each.only) for each in config.java],
            classpath=class_path(config),
            python=_python_sources(config),
            mcp=servers,
            watch=watch,
            settings={
                "inject": config.injected_values(),
                "max_result_bytes": limits.max_result_bytes,
                "strict_values": limits.strict_values,
                "max_threads": limits.max_threads,
            },
        )
    except JavaUnavailable as missing:
        raise Misuse(f"--host java needs Java: {missing}") from missing
    except SourceRefused as refused:
        at = refused.at
        raise server_complaint(config, at, servers[at], str(refused)) from refused
    with host:
        yield _Java(host)


def _tell_not_isolated(config: Config) -> None:
    for at, named in enumerate(config.java):
        if named.isolate is not None:
            problem = "is for a Python host; in a Java host its tools run in the host's own process"
            tell(str(config.complaint(("java", at, "isolate"), problem)))


def _python_sources(config: Config) -> list[PythonSource]:
    """Return a source for each module that is isolated, and one for all others."""
    path = folders(config)
    together = [module for module in config.python if module.isolate is None]
    sources = []
    if together:
        specs = [spec for module in together for spec in _specs(module)]
        sources.append(PythonSource(specs, path, sys.executable))
    for module in config.python:
        if module.isolate is not None:
            python = interpreter(config, module) or sys.executable
            sources.append(PythonSource(_specs(module), path, python, module.workers))
    return sources


def _specs(module: PythonModule) -> list[str]:
    if module.only is None:
        return [module.name]
    return [f"{module.name}#{name}" for name in module.only]


RUNNERS: Final[
    Mapping[HostLanguage, Callable[[Config, Watch | None], AbstractContextManager[Runner]]]
] = {
    HostLanguage.PYTHON: _here,
    HostLanguage.JAVA: _in_java,
}
