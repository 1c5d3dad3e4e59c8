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

    def cells(self) -> tuple[str, str, str, str]:
        failed = "\n".join(f"{kind} {number}" for kind, number in sorted(self.failed.items()))
        p50 = f"{median(self.durations_us) / 1000:.2f} ms" if self.durations_us else "-"
        return str(self.calls), str(self.succeeded), failed or "-", p50


def records(responses: Path) -> Iterator[dict[str, Any]]:
    """Yield the records of all response events, in order."""
    with responses.open(encoding="utf-8") as lines:
        for line in lines:
            yield from json.loads(line)["records"]


def table(responses: Path, languages: Mapping[str, str]) -> Table:
    """Return the table by tool; `languages` says what each tool is written in."""
    rows: defaultdict[str, Row] = defaultdict(Row)
    total = Row()
    for record in records(responses):
        rows[record["tool"]].add(record)
        total.add(record)

    page = Table(box=box.SIMPLE_HEAD, show_footer=True, pad_edge=False, collapse_padding=True)
    calls, succeeded, failed, p50 = total.cells()
    page.add_column("tool", "all", no_wrap=True)
    page.add_column("language")
    page.add_column("calls", calls, justify="right")
    page.add_column("succeeded", succeeded, justify="right")
    page.add_column("failed by kind", failed, no_wrap=True)
    page.add_column("p50", p50, justify="right", no_wrap=True)
    for name, row in sorted(rows.items(), key=lambda item: (languages.get(item[0], "~"), item[0])):
        page.add_row(name, languages.get(name, "-"), *row.cells())
    return page
