# SPDX-License-Identifier: Apache-2.0
"""The command `isonomy matrix`: runs the live matrix and prints it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from io import StringIO
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from isonomy.matrix.cases import Case, controls, outcomes
from isonomy.matrix.cells import Cell, cells
from isonomy.matrix.hosts import Host, PythonHost, java_host

_WIDTH: Final = 124
_SHOWN: Final = 20


def run_matrix() -> list[Cell]:
    """Run all cells, in every host, and return them; the negative controls are the last."""
    ways = outcomes()
    cases = [*ways, *controls()]
    hosts: Mapping[str, Callable[[Sequence[Case]], AbstractContextManager[Host]]] = {
        "python": PythonHost,
        "java": java_host,
    }
    found: list[Cell] = []
    for name, start in hosts.items():
        with start(cases) as host:
            found += cells(name, host, cases)
    return sorted(found, key=lambda cell: cell.is_control)


def matrix_json(found: Sequence[Cell]) -> dict[str, Any]:
    """Give the matrix as a JSON object."""
    return {
        "cells": [cell.to_json() for cell in found],
        "agrees": all(cell.agrees for cell in found),
    }


def matrix_table(found: Sequence[Cell], *, terminal: bool) -> str:
    """Return the matrix as a table, what does not agree below it, and a line that sums it up."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("host", "tool", "outcome", "mode", "expected", "response", "events", "metrics"):
        table.add_column(column, no_wrap=True)
    table.add_column("", justify="right")
    for cell in found:
        table.add_row(
            cell.host,
            cell.tool,
            cell.outcome,
            cell.mode,
            cell.expected,
            *(_seen(cell, text) for text in (cell.response, cell.events, cell.metrics)),
            Text("agree", "green") if cell.agrees else Text("DISAGREE", "bold red"),
        )
    out = StringIO()
    console = Console(
        file=out, width=_WIDTH, force_terminal=terminal, highlight=False, legacy_windows=False
    )
    console.print(table)
    problems = [
        f"{cell.host} host, {cell.tool} tool, {cell.outcome}, {cell.mode}"
        f" (clause {cell.clause}): {problem}"
        for cell in found
        for problem in cell.problems
    ]
    for line in problems[:_SHOWN]:
        console.print(Text(line), soft_wrap=True)
    if len(problems) > _SHOWN:
        console.print(f"... and {len(problems) - _SHOWN} more; --json has them all")
    good, calls = sum(cell.agrees for cell in found), sum(cell.calls for cell in found)
    console.print(f"{good} of {len(found)} cells agree, {calls} calls")
    return out.getvalue().rstrip("\n")


def _seen(cell: Cell, text: str) -> Text:
    return Text(text) if text == cell.expected else Text(text, "red")
