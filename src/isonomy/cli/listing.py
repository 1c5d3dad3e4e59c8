# SPDX-License-Identifier: Apache-2.0
"""The tools of a configuration as a table, and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from io import StringIO
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from isonomy.tools.tool import Tool

PIPE_WIDTH = 160
LEAST_BESIDE = 44
"""Characters that the columns beside the names need to be read."""


def tools_json(tools: Iterable[Tool]) -> list[dict[str, Any]]:
    """Return the tools as JSON objects; of injected parameters only the names."""
    return [
        {
            "name": tool.name,
            "language": tool.language,
            "description": tool.description,
            "input_schema": tool.input_schema,
            "injected": sorted(str(mark.name) for mark in tool.injected.values()),
            "version": tool.version,
            "max_parallel": tool.max_parallel,
            "deadline_s": tool.deadline,
        }
        for tool in tools
    ]


def tools_table(tools: Iterable[Tool], *, terminal: bool) -> str:
    """Return a table of the tools, in colour and as wide as the terminal where there is one.

    Where the terminal is too narrow for it, the tools are told in lines.
    """
    page = StringIO()
    console = Console(file=page, force_terminal=terminal, width=None if terminal else PIPE_WIDTH)
    listed = list(tools)
    longest = max((len(tool.name) for tool in listed), default=0)
    if console.width < longest + LEAST_BESIDE:
        for tool in listed:
            console.print(Text(f"{tool.name} ({tool.language}): {_parameters(tool)}"))
            console.print(Text(f"  {_first_line(tool)}"))
    else:
        console.print(_table(listed))
    return page.getvalue().rstrip("\n")


def _table(tools: Iterable[Tool]) -> Table:
    table = Table()
    table.add_column("Tool", no_wrap=True)
    table.add_column("Language")
    table.add_column("Parameters")
    table.add_column("Description")
    for tool in tools:
        parameters = _parameters(tool)
        table.add_row(
            Text(tool.name),
            Text(tool.language),
            Text(parameters),
            Text(_first_line(tool)),
        )
    return table


def _first_line(tool: Tool) -> str:
    return tool.description.partition("\n")[0]


def _parameters(tool: Tool) -> str:
    properties: Mapping[str, Any] = tool.input_schema.get("properties", {})
    required = tool.input_schema.get("required", ())
    names = [name if name in required else f"[{name}]" for name in properties]
    names += [f"({mark.name} from the host)" for mark in tool.injected.values()]
    return ", ".join(names)
