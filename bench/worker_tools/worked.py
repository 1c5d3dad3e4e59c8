# SPDX-License-Identifier: Apache-2.0
"""The tools of the rows about workers; workers import this."""

from __future__ import annotations

import os
import time
from typing import Any

from isonomy import tool


@tool
def total(customer: str, currency: str, items: list[dict[str, Any]]) -> dict[str, Any]:
    """Sum up an order."""
    amount = sum(item["quantity"] * item["price"] for item in items)
    return {"customer": customer, "currency": currency, "items": len(items), "total": amount}


@tool
def count(turns: int) -> int:
    """Keep a processor busy."""
    number = 0
    for turn in range(turns):
        number += turn & 3
    return number


@tool
def reflect(text: str) -> str:
    """Return a text."""
    return text


@tool
def nap() -> str:
    """Sleep for 5 ms."""
    time.sleep(0.005)
    return "awake"


@tool
def leave() -> None:
    """End the process."""
    os._exit(1)
