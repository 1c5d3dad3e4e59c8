# SPDX-License-Identifier: Apache-2.0
"""The tools and the executor that a configuration describes."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib import import_module
from types import ModuleType
from typing import Any

from isonomy.bridge.classpath import resolve
from isonomy.bridge.jvm import JavaUnavailable, java_tools
from isonomy.cli.complaints import one_of
from isonomy.cli.config import Config, JavaTools, PythonModule
from isonomy.cli.document import Where
from isonomy.cli.raising import RaisedPlace
from isonomy.contract.misuse import Misuse
from isonomy.contract.outcome import Returned
from isonomy.contract.redaction import Redactor
from isonomy.runtime.executor import ToolExecutor
from isonomy.tools import boundary
from isonomy.tools.registry import ToolRegistry
from isonomy.tools.tool import Tool


def load_tools(config: Config) -> ToolRegistry:
    """Import and return the tools; raises `Misuse` with file and line where that fails."""
    sys.path[:0] = _folders(config)
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
    return ToolRegistry(_all_different(config, sources))


def make_executor(config: Config) -> ToolExecutor:
    """Return an executor with the configuration's tools, injected values and limits."""
    values = config.injected_values()
    tools = load_tools(config)
    _check_injected(config, tools, values)
    chosen = config.limits.model_dump(
        include={"max_result_bytes", "strict_values", "max_threads"}, exclude_none=True
    )
    return ToolExecutor(tools, inject=values, **chosen)


def _folders(config: Config) -> list[str]:
    folders = []
    for at, name in enumerate(config.path):
        if "\0" in name:
            raise config.complaint(("path", at), "has a NUL character, which no folder's name has")
        folder = (config.folder / name).resolve()
        if not folder.is_dir():
            raise config.complaint(("path", at), f"is no folder: {folder}")
        folders.append(str(folder))
    return folders


def class_path(config: Config) -> list[str]:
    """Return the folders and jars of the class path; raises `Misuse` for one that is not there."""
    paths: list[str] = []
    for at, entry in enumerate(config.classpath):
        try:
            paths += resolve([config.folder / entry])
        except Misuse as refused:
            raise config.complaint(("classpath", at), f"cannot be used: {refused}") from refused
    return paths


def _python_tools(config: Config, at: int, module: PythonModule) -> list[Tool]:
    where = ("python", at)
    place = RaisedPlace(_folders(config))

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
            problem += '; list its folder under "path", or install it'
        raise config.complaint(where, problem)
    try:
        tools = list(ToolRegistry([outcome.value]))
    except Misuse as refused:
        raise config.complaint(where, f"cannot be used: {refused}") from refused
    return _only(config, where, module.name, module.only, tools)


def _java_tools(config: Config, at: int, named: JavaTools, classpath: list[str]) -> list[Tool]:
    where = ("java", at)
    try:
        tools = java_tools(named.reference, classpath=classpath)
    except (Misuse, JavaUnavailable) as refused:
        raise config.complaint(where, f"cannot be used: {refused}") from refused
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
            if other != where:
                problem = (
                    f'brings a second tool "{tool.name}" beside that of {other[0]}[{other[1]}];'
                    ' leave one out with "only", or give a Java method another "name"'
                )
                raise config.complaint(where, problem)
            tools.append(tool)
    return tools


def _check_injected(config: Config, tools: ToolRegistry, values: dict[str, Any]) -> None:
    for tool in tools:
        for name in sorted(tool.needs - values.keys()):
            problem = f'lacks "{name}", which the tool "{tool.name}" takes from the host'
            raise config.complaint(("inject",), problem)
