# SPDX-License-Identifier: Apache-2.0
"""The table at the end of the main job, from the responses that were written."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table


@dataclass
class Row:
    calls: int = 0
    succeeded: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    durations_us: list[int] = field(default_factory=list)

    def add(self, record: Mapping[str, Any]) -> None:
        self.calls += 1
        response = record["response"]
        if response["status"] == "success":
            self.succeeded += 1
        else:
            self.failed[response["error"]["kind"]] += 1
        if record["execution"] == "executed":
            self.durations_us.append(record["duration_us"])

    def p50(self) -> str:
        return f"{median(self.durations_us) / 1000:.2f} ms" if self.durations_us else "-"

    def failures(self) -> list[str]:
        return [f"{kind} {number}" for kind, number in sorted(self.failed.items())]

    def cells(self) -> tuple[str, str, str, str]:
        failed = "\n".join(self.failures()) or "-"
        return str(self.calls), str(self.succeeded), failed, self.p50()

    def lines(self) -> Iterator[str]:
        yield f"{self.calls} calls, {self.succeeded} succeeded, p50 {self.p50()}"
        if self.failed:
            yield ", ".join(self.failures())


def records(responses: Path) -> Iterator[dict[str, Any]]:
    """Yield the records of all response events, in order."""
    with responses.open(encoding="utf-8") as lines:
        for line in lines:
            yield from json.loads(line)["records"]


def rows_of(responses: Path) -> tuple[dict[str, Row], Row]:
    """Return a row for each tool, and the one of all calls."""
    rows: defaultdict[str, Row] = defaultdict(Row)
    total = Row()
    for record in records(responses):
        rows[record["tool"]].add(record)
        total.add(record)
    return rows, total


def report(console: Console, responses: Path, languages: Mapping[str, str]) -> None:
    """Print a row for each tool; `languages` says what each is written in.

    Where the table is wider than the console, its rows are printed as lines.
    """
    rows, total = rows_of(responses)
    names = sorted(rows, key=lambda name: (languages.get(name, "~"), name))
    page = table(rows, total, names, languages)
    wide = console.options.update(width=1_000)
    if console.measure(page, options=wide).maximum <= console.width:
        console.print(page)
        return
    for name in names:
        _print_lines(console, f"{name} ({languages.get(name, '-')})", rows[name])
    _print_lines(console, "all", total)


def _print_lines(console: Console, head: str, row: Row) -> None:
    console.print(head, markup=False, highlight=False)
    for line in row.lines():
        console.print(f"  {line}", markup=False, highlight=False)


def table(
    rows: Mapping[str, Row], total: Row, names: list[str], languages: Mapping[str, str]
) -> Table:
    """Return the table of these tools, with the row of all calls at its foot."""
    page = Table(box=box.SIMPLE_HEAD, show_footer=True, pad_edge=False, collapse_padding=True)
    calls, succeeded, failed, p50 = total.cells()
    page.add_column("tool", "all")
    page.add_column("language")
    page.add_column("calls", calls, justify="right")
    page.add_column("succeeded", succeeded, justify="right")
    page.add_column("failed by kind", failed)
    page.add_column("p50", p50, justify="right")
    for column in page.columns:
        column.no_wrap = True
    for name in names:
        page.add_row(name, languages.get(name, "-"), *rows[name].cells())
    return page
