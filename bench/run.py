# SPDX-License-Identifier: Apache-2.0
"""Measure the rows of the benchmark, print a table and write the results.

    python bench/run.py [--only ID[,ID]] [--quick] [--output FILE]

Each row runs in a process of its own, so that none measures what another left behind. The exit
code is 1 where a row failed to run; one that is over its bar, or that lacks a part, is told in
the table.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from registry import FULL, HERE, QUICK, Measured, Missing, Row, rows

RESULTS = HERE / "results.json"


def main() -> int:
    """Run what was asked for and return the exit code."""
    options = _options()
    known = rows()
    wanted = list(known) if options.only is None else options.only.split(",")
    unknown = [each for each in wanted if each not in known]
    if unknown:
        print(f"no row named {unknown[0]!r}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    if options.child is not None:
        return _measure(known[wanted[0]], options.quick, options.child)
    return _run([known[each] for each in wanted], options.quick, options.output)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure the rows of the benchmark.")
    parser.add_argument("--only", metavar="ID[,ID]", help="the rows to measure; all by default")
    parser.add_argument("--quick", action="store_true", help="short rounds: rough figures")
    parser.add_argument("--output", type=Path, default=RESULTS, help="where results are written")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def _run(chosen: list[Row], quick: bool, output: Path) -> int:
    console = Console()
    table = _table(quick)
    results = []
    skipped = []
    failed = False
    for each in chosen:
        with console.status(each.id):
            measured = _apart(each, quick)
        failed = failed or measured is None
        _tell(table, each, measured)
        if isinstance(measured, Measured):
            results.append(_result(each, measured))
        elif measured is not None:
            skipped.append(f"{each.id} skipped: {measured}")
    output.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    console.print(table)
    print(*skipped, sep="\n", end="\n" if skipped else "")
    return int(failed)


# One row in a process of its own ----------------------------------------------------------------


def _apart(each: Row, quick: bool) -> Measured | Missing | None:
    """Measure a row in a fresh process; None where that failed, which it has told by itself."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder, "answer.json")
        command = [sys.executable, __file__, "--only", each.id, "--child", str(answer)]
        subprocess.run([*command, *(["--quick"] if quick else [])], stdout=sys.stderr, check=False)
        if not answer.exists():
            print(f"{each.id}: its process ended without a figure", file=sys.stderr)
            return None
        told = json.loads(answer.read_text(encoding="utf-8"))
    return Missing(told["missing"]) if "missing" in told else Measured(**told)


def _measure(each: Row, quick: bool, answer: Path) -> int:
    """Measure a row in this process and write what came of it."""
    try:
        told = asdict(each.measure(QUICK if quick else FULL))
    except Missing as missing:
        told = {"missing": str(missing)}
    answer.write_text(json.dumps(told), encoding="utf-8")
    return 0


# What is told -----------------------------------------------------------------------------------


def _result(each: Row, measured: Measured) -> dict[str, object]:
    return {
        "id": each.id,
        "figure": _rounded(measured.figure),
        "unit": each.unit,
        "reference": each.reference,
        "reference_figure": _rounded(measured.reference_figure),
        "ratio": _rounded(measured.ratio),
    }


def _rounded(number: float | None) -> float | None:
    return None if number is None else float(f"{number:.4g}")


def _table(quick: bool) -> Table:
    table = Table(title="Quick: rough figures" if quick else None)
    table.add_column("row", no_wrap=True)
    for name in ("figure", "reference", "ratio", "bar"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("")
    return table


def _tell(table: Table, each: Row, measured: Measured | Missing | None) -> None:
    limit = f"{each.bar:g}" + ("x" if each.reference else f" {each.unit}")
    if each.at_least:
        limit = f"at least {limit}"
    if not isinstance(measured, Measured):
        table.add_row(each.id, "", "", "", limit, "failed" if measured is None else "skipped")
        return
    ratio = measured.ratio
    table.add_row(
        each.id,
        _with_unit(measured.figure, each.unit),
        _with_unit(measured.reference_figure, each.unit),
        "" if ratio is None else f"{ratio:.2f}x",
        limit,
        "" if each.holds(measured) else f"{'under' if each.at_least else 'over'} the bar",
    )


def _with_unit(number: float | None, unit: str) -> str:
    return "" if number is None else f"{_rounded(number):g} {unit}"


if __name__ == "__main__":
    sys.exit(main())
