# SPDX-License-Identifier: Apache-2.0
"""Tools for what lies between airports: distance, speed, time."""

import asyncio
import itertools
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from pydantic import Field

from flights.airports import find
from flights.database import opened
from flights.sphere import distance_km
from isonomy import ToolResponse, tool

KM_PER = {"km": 1.0, "mi": 1.609344, "nmi": 1.852}
Stops = Annotated[list[str], Field(min_length=2, max_length=12)]


@dataclass(frozen=True)
class Leg:
    origin: str
    destination: str
    km: float


@dataclass(frozen=True)
class Route:
    legs: list[Leg]
    km: float


@dataclass(frozen=True)
class LocalTime:
    zone: str
    at: datetime


def leg(origin: str, destination: str) -> Leg:
    """Measure one leg; raises `ToolFailed` for a code that no airport has."""
    with opened() as db:
        one, other = find(db, origin), find(db, destination)
    return Leg(one.icao, other.icao, distance_km(one.lat, one.lon, other.lat, other.lon))


def legs(stops: list[str]) -> list[tuple[str, str]]:
    """Return the pairs of neighbours among the stops."""
    return list(itertools.pairwise(stops))


@tool
def distance(origin: str, destination: str, unit: Literal["km", "mi", "nmi"] = "km") -> float:
    """Measure the great-circle distance between two airports.

    Args:
        origin: IATA or ICAO code.
        destination: IATA or ICAO code.
        unit: Kilometres, statute miles or nautical miles.
    """
    return leg(origin, destination).km / KM_PER[unit]


@tool
async def route(stops: Stops) -> Route:
    """Measure a route with several stops, leg by leg.

    Args:
        stops: IATA or ICAO codes in flying order.
    """
    flown = await asyncio.gather(*(asyncio.to_thread(leg, *pair) for pair in legs(stops)))
    return Route(flown, sum(one.km for one in flown))


@tool
def ground_speed(
    origin: str, destination: str, departed: datetime, arrived: datetime
) -> float | ToolResponse:
    """Work out the mean speed of a flight over ground, in km/h.

    Args:
        origin: IATA or ICAO code.
        destination: IATA or ICAO code.
        departed: When it took off.
        arrived: When it landed.
    """
    hours = (arrived - departed).total_seconds() / 3600
    if hours < 0:
        return ToolResponse.error(
            "the flight arrived before it departed",
            code="TIMES_SWAPPED",
            retryable=False,
            details={"hours": hours},
        )
    return leg(origin, destination).km / hours


@tool
def local_time(code: str, at: datetime) -> LocalTime | ToolResponse:
    """Tell the local time at an airport.

    Args:
        code: IATA or ICAO code.
        at: The moment, with its offset from UTC.
    """
    if at.tzinfo is None:
        return ToolResponse.error(
            "the moment has no offset from UTC", code="NO_OFFSET", details={"at": at}
        )
    with opened() as db:
        zone = find(db, code).zone
    return LocalTime(zone, at.astimezone(ZoneInfo(zone)))
