# SPDX-License-Identifier: Apache-2.0
"""Times and limits as hosts and authors give them, checked."""

from __future__ import annotations

from datetime import timedelta
from math import inf

from isonomy.contract.misuse import Misuse

Seconds = float | int | timedelta

_LONGEST = 315_360_000.0


def seconds(what: str, value: Seconds | None) -> float | None:
    """Return a deadline in seconds, or None for none.

    Raises:
        Misuse: It is not a positive, finite time (clause 8.8).
    """
    if value is None:
        return None
    number = value.total_seconds() if isinstance(value, timedelta) else value
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise Misuse(f"{what} is seconds or a timedelta, got {type(value).__name__}")
    if not 0 < number < inf:  # an integer may be too long for a float
        raise Misuse(
            f"{what} is a positive number of seconds, got {number}; None means no deadline"
        )
    # No wait takes longer than the platform's clock; ten years are as good as none.
    return float(min(number, _LONGEST))


def limit(what: str, value: int) -> int:
    """Return a limit that is at least 1.

    Raises:
        Misuse: It is less, or no integer (clause 8.7).
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise Misuse(f"{what} is a whole number, got {type(value).__name__}")
    if value < 1:
        remedy = "; 1 runs calls in order" if what == "parallel" else ""
        raise Misuse(f"{what} is at least 1, got {value}{remedy}")
    return value
