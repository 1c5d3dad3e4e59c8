# SPDX-License-Identifier: Apache-2.0
"""The tools and the executor that a configuration describes."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from importlib import import_module
from types import ModuleType
from typing import Any, Final

from isonomy.bridge.classpath import resolve
from isonomy.bridge.jvm import JavaUnavailable, java_tools
from isonomy.bridge.workers.unavailable import WorkerUnavailable
from isonomy.cli.complaints import one_of
from isonomy.cli.config import Config, JavaTools, PythonModule
from isonomy.cli.document import Where
from isonomy.cli.raising import RaisedPlace
from isonomy.cli.servers import server_tools
from isonomy.cli.standard import tell
from isonomy.contract.events import Sink
from isonomy.contract.misuse import Misuse
from isonomy.contract.outcome import Returned
from isonomy.contract.redaction import Redactor
from isonomy.runtime.executor import ToolExecutor
from isonomy.tools import boundary
from isonomy.tools.registry import ToolRegistry
from isonomy.tools.tool import Tool

_RENAMED: Final = {
    "python": "as @tool(name=...) in its module",
    "java": 'a method by "name" here',
}
MISSING_MODULE = 'list its folder under "path", or install it'
OF_COMMENTS = 'a "#" with a space before it begins a comment; write CLASS#METHOD'


def load_tools(config: Config, *, servers: bool = True) -> ToolRegistry:
    """Import and return the tools; raises `Misuse` with file and line where that fails.

    Those of MCP `servers` may be left to another process.
    """
    sys.path[:0] = folders(config)
    sources: list[tuple[Where, list[Tool]]] = [
        (("python", at), _python_tools(config, at, module))
        for at, module in enumerate(config.python)
    ]
    if config.java:
        classpath = class_path(config)
        sources += [
            (("java", at), _java_tools(config, at, named, classpath))
            for at, named in enumerate(config.java)
        ]
    if servers:
        sources += server_tools(config)
    return ToolRegistry(_all_different(config, sources))


def make_executor(
    config: Config, *, sinks: Iterable[Sink] = (), servers: bool = True
) -> ToolExecutor:
    """Return an executor with the configuration's tools, injected values and limits.

    Those of MCP `servers` may be left to another process.
    """
    values = config.injected_values()
    tools = load_tools(config, servers=servers)
    _check_injected(config, tools, values)
    _tell_untaken(config, tools)
    chosen = config.limits.model_dump(
        include={"max_result_bytes", "strict_values", "max_threads"}, exclude_none=True
    )
    return ToolExecutor(tools, inject=values, sinks=sinks, **chosen)


def folders(config: Config) -> list[str]:
    """Return the folders to import from; raises `Misuse` for one that is not there."""
    found = []
    for at, name in enumerate(config.path):
        if "\0" in name:
            raise config.complaint(("path", at), "has a NUL character, which no folder's name has")
        folder = (config.folder / name).resolve()
        if not folder.is_dir():
            raise config.complaint(("path", at), f"is no folder: {folder}")
        found.append(str(folder))
    return found


def class_path(config: Config) -> list[str]:
    """Return the folders and jars of the class path; raises `Misuse` for one that is not there."""
    paths: list[str] = []
    for at, entry in enumerate(config.classpath):
        try:
            paths += resolve([config.folder / entry])
        except Misuse as refused:
            raise config.complaint(("classpath", at), f"cannot be used: {refused}") from refused
    return paths


def interpreter(config: Config, module: PythonModule) -> str | None:
    """Return the interpreter that a module's workers are to have; None for this one."""
    named = module.interpreter
    if named is None or "/" not in named:
        return named
    # The link stays: a virtual environment is known by where its interpreter is called.
    return str((config.folder / named).absolute())


def _python_tools(config: Config, at: int, module: PythonModule) -> list[Tool]:
    where = ("python", at)
    if module.isolate is not None:
        return _only(config, where, module.name, module.only, _in_workers(config, where, module))
    place = RaisedPlace(folders(config))

    def imported() -> ModuleType:
        with place:
            return import_module(module.name)

    # What a module does while it is imported is as much its own affair as what a tool does.
    outcome = boundary.run(imported, ())
    if not isinstance(outcome, Returned):
        said = Redactor().text(outcome.error.message)
        problem = f"cannot be imported: {outcome.error.type}: {said}"
        if place.text:
            problem += f" (at {place.text})"
        if outcome.error.type == "ModuleNotFoundError":
            problem += f"; {_of_file(module.name) or MISSING_MODULE}"
        raise config.complaint(where, problem)
    try:
        tools = list(ToolRegistry([outcome.value]))
    except Misuse as refused:
        raise config.complaint(where, f"cannot be used: {refused}") from refused
    return _only(config, where, module.name, module.only, tools)


def _in_workers(config: Config, where: Where, module: PythonModule) -> list[Tool]:
    from isonomy.bridge.workers.python_workers import python_tools

    python = interpreter(config, module)
    try:
        return python_tools(
            module.name, workers=module.workers, python=python, path=folders(config)
        )
    except WorkerUnavailable as refused:
        problem = f"cannot be used: {Redactor().text(str(refused))}"
        if hint := _of_file(module.name):
            problem += f"; {hint}"
        raise config.complaint(where, problem) from refused


def _of_file(name: str) -> str | None:
    """Return what is meant where a module is named like its file, which no import finds."""
    bare = re.split(r"[/\\\\]", name)[-1].removesuffix(".py")
    if bare == name or not bare:
        return None
    return f'a module is named, not its file: "{bare}", with its folder under "path"'


def _java_tools(config: Config, at: int, named: JavaTools, classpath: list[str]) -> list[Tool]:
    where = ("java", at)
    workers = {} if named.isolate is None else {"workers": named.workers}
    comment = re.search(rf"{re.escape(named.target)}\s+#\w+(\()?", config.line_of(where))
    if comment and comment[1]:
        # Else all tools of the class would be there, in place of one method.
        raise config.complaint(where, f"is cut: {OF_COMMENTS}")
    try:
        tools = java_tools(named.reference, classpath=classpath, isolate=named.isolate, **workers)
    except (Misuse, JavaUnavailable, WorkerUnavailable) as refused:
        problem = f"cannot be used: {refused}"
        raise config.complaint(
            where, f"{problem}; {OF_COMMENTS}" if comment else problem
        ) from refused
    return _only(config, where, named.target, named.only, tools)


def _only(
    config: Config, where: Where, source: str, only: list[str] | None, tools: list[Tool]
) -> list[Tool]:
    if only is None:
        return tools
    by_name = {tool.name: tool for tool in tools}
    for at, name in enumerate(only):
        if name not in by_name:
            problem = f'{source} has no tool "{name}"; {one_of(name, by_name)}'
            raise config.complaint((*where, "only", at), problem)
    return [by_name[name] for name in only]


def _all_different(config: Config, sources: Iterable[tuple[Where, list[Tool]]]) -> list[Tool]:
    first: dict[str, Where] = {}
    tools: list[Tool] = []
    for where, found in sources:
        for tool in found:
            other = first.setdefault(tool.name, where)
            # those of servers are named otherwise (clause 14.17)
            if other != where and tool.server is None and other[0] != "mcp":
                problem = (
                    f'brings a second tool "{tool.name}" beside that of {other[0]}[{other[1]}];'
                    ' leave one out with "only", or give it another name,'
                    f" {_RENAMED[str(where[0])]}"
                )
                raise config.complaint(where, problem)
            tools.append(tool)
    return tools


def _check_injected(config: Config, tools: ToolRegistry, values: dict[str, Any]) -> None:
    for tool in tools:
        for name in sorted(tool.needs - values.keys()):
            problem = f'lacks "{name}", which the tool "{tool.name}" takes from the host'
            raise config.complaint(("inject",), problem)


def _tell_untaken(config: Config, tools: ToolRegistry) -> None:
    """Tell of values that no tool takes, which is no mistake where a tool was left out."""
    taken = {str(mark.name): None for tool in tools for mark in tool.injected.values()}
    for name in config.inject:
        if name not in taken:
            known = one_of(name, taken) if taken else "no tool takes any"
            tell(str(config.complaint(("inject", name), f"is taken by no tool; {known}")))
