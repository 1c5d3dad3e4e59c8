# SPDX-License-Identifier: Apache-2.0
"""The rows of the benchmark: each has an id, a function that measures it, and a bar.

A module named `*_rows.py` in this folder is found by itself; in it a row is a function of an
`Effort` under `@row(...)` that gives what it `Measured`, or raises `Missing` where the machine
lacks a part it needs. Such parts are imported in the row, not at the top of its module: every
module is imported for every row. Each row runs in a process of its own.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent


class Missing(Exception):  # noqa: N818 - it is no error but what a machine lacks
    """Raised by a row that cannot be measured here; its text says what is missing."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How long a row measures.

    Args:
        rounds: How often figure and reference are timed in turn; at least 5.
        seconds: About how long one side takes in one round.
        share: The part of the calls that rows with a fixed number of calls make, 1.0 for all.
    """

    rounds: int
    seconds: float
    share: float

    def part_of(self, number: int) -> int:
        """Return how many of ``number`` calls to make."""
        return max(1, round(number * self.share))


FULL = Effort(rounds=31, seconds=0.06, share=1.0)
QUICK = Effort(rounds=5, seconds=0.02, share=0.1)


@dataclass(frozen=True, slots=True)
class Measured:
    """What a row measured: medians of its rounds.

    Args:
        figure: The figure, in the row's unit.
        reference_figure: Its reference in the same unit, where it has one.
        ratio: How many times the reference the figure was: the median of the rounds' own ratios,
            which a machine that slows down for a while disturbs less than the figures.
    """

    figure: float
    reference_figure: float | None = None
    ratio: float | None = None


Measure = Callable[[Effort], Measured]


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table.

    Args:
        id: The name that `--only` takes and that results carry.
        unit: The unit of the figure and of its reference.
        bar: The most that the ratio may be, or the least; the figure where there is no reference.
        at_least: Whether the bar is the least that it may be.
        reference: What the figure is compared with, or None.
        measure: Measures it.
    """

    id: str
    unit: str
    bar: float
    reference: str | None
    measure: Measure
    at_least: bool = False

    def holds(self, measured: Measured) -> bool:
        """Tell whether what was measured keeps the bar."""
        judged = measured.figure if measured.ratio is None else measured.ratio
        return judged >= self.bar if self.at_least else judged <= self.bar


_rows: dict[str, Row] = {}


def row(
    id: str,  # noqa: A002 - the name of the field in the results
    unit: str,
    *,
    bar: float,
    reference: str | None = None,
    at_least: bool = False,
) -> Callable[[Measure], Measure]:
    """Register a function as the measure of a row."""

    def register(measure: Measure) -> Measure:
        if id in _rows:
            raise ValueError(f"two rows have the id {id!r}")
        _rows[id] = Row(id, unit, bar, reference, measure, at_least)
        return measure

    return register


def rows() -> dict[str, Row]:
    """Return every row by id, as the modules of this folder register them."""
    for path in sorted(HERE.glob("*_rows.py")):
        importlib.import_module(path.stem)
    return dict(_rows)
