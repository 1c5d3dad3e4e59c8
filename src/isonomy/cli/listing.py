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
    """Return a table of the tools, in colour and as wide as the terminal where there is one."""
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
            Text(tool.description.partition("\n")[0]),
        )
    page = StringIO()
    if terminal:
        Console(file=page, force_terminal=True).print(table)
    else:
        Console(file=page, width=PIPE_WIDTH).print(table)
    return page.getvalue().rstrip("\n")


def _parameters(tool: Tool) -> str:
    properties: Mapping[str, Any] = tool.input_schema.get("properties", {})
    required = tool.input_schema.get("required", ())
    names = [name if name in required else f"[{name}]" for name in properties]
    names += [f"({mark.name} from the host)" for mark in tool.injected.values()]
    return ", ".join(names)
