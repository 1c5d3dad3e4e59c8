# SPDX-License-Identifier: Apache-2.0
"""How a time is taken: figure and reference in turn, medians of rounds, nothing else inside.

What is timed is a `Loop`, a function that makes a number of calls and returns the seconds they
took by its own clock. Loops are written out where they are used: a call through a lambda would
cost as much as some references do.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from statistics import median

from registry import Effort, Measured

Loop = Callable[[int], float]

MICRO = 1e6


def compare(figure: Loop, reference: Loop, effort: Effort, *, each: int = 1) -> Measured:
    """Time two loops in turn and return medians, in microseconds.

    The order within a round changes from round to round, so that neither side always runs first
    after the collection of garbage. The collector stays on meanwhile: what a call leaves for it
    is part of what the call costs.

    Args:
        figure: What is measured.
        reference: What it is compared with.
        effort: How often and how long.
        each: How many calls of the figure's unit one turn of a loop makes.
    """
    sides = [(loop, _turns(loop, effort.seconds)) for loop in (figure, reference)]
    times: list[list[float]] = [[], []]
    for number in range(effort.rounds):
        for side in (0, 1) if number % 2 == 0 else (1, 0):
            loop, turns = sides[side]
            times[side].append(_time(loop, turns))
    ratios = [ours / theirs for ours, theirs in zip(*times, strict=True)]
    return Measured(
        median(times[0]) / each * MICRO, median(times[1]) / each * MICRO, median(ratios)
    )


def _turns(loop: Loop, seconds: float) -> int:
    """Warm a loop up for about as long as a round takes, and return how many turns that is."""
    turns = 1
    while True:
        took = loop(turns)
        if took >= seconds / 2:
            return max(1, round(turns * seconds / took))
        turns *= 2


def _time(loop: Loop, turns: int) -> float:
    gc.collect()
    return loop(turns) / turns
