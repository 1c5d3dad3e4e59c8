# SPDX-License-Identifier: Apache-2.0
"""The hosts of the matrix: this process, and a Java host."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final, Protocol

import isonomy
from isonomy.bridge.jvm import java_tools
from isonomy.contract.call import ToolRequest
from isonomy.engines.java import Answer, JavaHost, JavaSource, McpSettings, PythonSource
from isonomy.matrix import mcp_server as mcp_server_program
from isonomy.matrix import tools
from isonomy.matrix.cases import Case
from isonomy.mcp import mcp_server
from isonomy.observe.memory import MemorySink
from isonomy.observe.metrics import Metrics
from isonomy.runtime.executor import ToolExecutor

_JAVA: Final = "dev.isonomy.matrix."
_SOURCES: Final = str(Path(isonomy.__file__).parents[1])
"""Where this very package is: the worker's Python may have another."""
TOOLS_OF: Final[Mapping[str, Callable[[str], list[str]]]] = {
    "python": lambda name: [f"python_{name}"],
    "java": lambda name: [f"Plain_{camel(name)}", f"annotated_{name}", f"callable_{name}"],
    "mcp": lambda name: [f"mcp_{name}"],
}
"""By language the names of a case's tools: in Java a plain method, an annotated one, a class."""


class Host(Protocol):
    """Runs a batch and reports what can be seen of it."""

    def run(self, request: ToolRequest, *, parallel: int) -> Answer:
        """Run a batch; the answer has a report."""
        ...


def camel(name: str) -> str:
    """Return the Java name of a Python one."""
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def java_specs(cases: Sequence[Case]) -> list[str]:
    """Return what names the Java tools of the cases."""
    specs = [f"{_JAVA}Annotated"]
    for case in cases:
        if "java" not in case.languages:
            continue
        plain = camel(case.name)
        made = "Throwing" if plain == "exception" else plain[0].upper() + plain[1:]
        specs += [f"{_JAVA}Plain#{plain}", f"{_JAVA}Callable${made}"]
    return specs


def server_of(case: Case) -> str | None:
    """Return the name of the MCP server that has the tool of a case; None where none has.

    One that ends with a call takes along all calls of its session, and so has one of its own.
    """
    if "mcp" not in case.languages:
        return None
    return "matrix-killed" if case.kind == "connection_lost" else "matrix"


def mcp_servers(cases: Sequence[Case]) -> list[McpSettings]:
    """Return the MCP servers that have the tools of the cases."""
    tools_of: dict[str, list[str]] = {}
    for case in cases:
        if name := server_of(case):
            tools_of.setdefault(name, []).extend(TOOLS_OF["mcp"](case.name))
    command = [sys.executable, mcp_server_program.__file__]
    return [McpSettings(name=name, command=command, tools=own) for name, own in tools_of.items()]


class PythonHost:
    """The executor of this process, with Java tools in process."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self._memory = MemorySink()
        self._metrics = Metrics()
        java = java_tools(*java_specs(cases))
        self._servers = [mcp_server(**each.arguments()) for each in mcp_servers(cases)]
        self._executor = ToolExecutor(
            [tools, *java, *(tool for each in self._servers for tool in each)],
            sinks=[self._memory, self._metrics],
        )

    def run(self, request: ToolRequest, *, parallel: int) -> Answer:
        """Run a batch here."""
        self._memory.clear()
        event = self._executor.run(request, parallel=parallel)
        counted: Counter[tuple[str, str | None]] = Counter()
        for key, number in self._metrics.snapshot().calls.items():
            # A status and a kind that contradict each other must not pass for what is expected.
            sound = (key.status == "success") == (key.kind is None)
            counted[key.tool, key.kind if sound else f"{key.status} {key.kind}"] += number
        executions = [each.to_wire() for each in self._memory.executions]
        return Answer(event.to_wire(), executions, counted)

    def __enter__(self) -> Host:
        return self

    def __exit__(self, *ended: Any) -> None:
        self._executor.close()
        for server in self._servers:
            server.close()


def java_host(cases: Sequence[Case]) -> AbstractContextManager[Host]:
    """Return a Java host with the tools of the cases."""
    python = PythonSource([tools.__name__], [_SOURCES], sys.executable)
    java = [JavaSource(spec) for spec in java_specs(cases)]
    return JavaHost(java, python=[python], mcp=mcp_servers(cases), report=True)
