# SPDX-License-Identifier: Apache-2.0
"""The tool, the arguments and the executor that the rows about calls share."""

from __future__ import annotations

import asyncio
from typing import Any

from pydantic import BaseModel

from isonomy.observe.memory import MemorySink
from isonomy.observe.metrics import Metrics
from isonomy.runtime.executor import ToolExecutor

ARGUMENTS: dict[str, Any] = {"city": "Ulm", "days": 3, "metric": False}


def forecast(city: str, days: int, metric: bool = True) -> dict[str, Any]:
    """Tell the weather of the next days."""
    return {"city": city, "days": days, "celsius": metric, "high": 21.5}


async def forecast_async(city: str, days: int, metric: bool = True) -> dict[str, Any]:
    """Tell the weather of the next days."""
    return {"city": city, "days": days, "celsius": metric, "high": 21.5}


async def forecast_waiting(city: str, days: int, metric: bool = True) -> dict[str, Any]:
    """Tell the weather of the next days, after others had their turn."""
    await asyncio.sleep(0)
    return {"city": city, "days": days, "celsius": metric, "high": 21.5}


def unavailable(city: str, days: int, metric: bool = True) -> dict[str, Any]:
    """Fail as bodies do whose own failure has a cause."""
    known: dict[tuple[str, bool], list[float]] = {}
    try:
        return {"city": city, "high": known[city, metric][days]}
    except KeyError as error:
        raise ConnectionError("the forecast is not available") from error


class Forecast(BaseModel):
    """The arguments of the tools above, as pydantic validates them."""

    city: str
    days: int
    metric: bool = True


def executor() -> ToolExecutor:
    """Make an executor as the main job does: with metrics and the in-memory sink."""
    tools = [forecast, forecast_async, forecast_waiting, unavailable]
    return ToolExecutor(tools, sinks=[Metrics(), MemorySink()])
