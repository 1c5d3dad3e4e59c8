# SPDX-License-Identifier: Apache-2.0
"""Tools that find airports."""

import asyncio
import sqlite3
from dataclasses import dataclass
from itertools import permutations
from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import Field

from flights.database import opened
from flights.sphere import distance_km
from isonomy import ToolFailed, ToolResponse, tool

Latitude = Annotated[float, Field(ge=-90, le=90, description="degrees north")]
Longitude = Annotated[float, Field(ge=-180, le=180, description="degrees east")]
Limit = Annotated[int, Field(ge=1, le=50)]


@dataclass(frozen=True)
class Airport:
    icao: str
    iata: str | None
    name: str
    city: str
    region: str
    country: str
    elevation_ft: float
    lat: float
    lon: float
    zone: str


@dataclass(frozen=True)
class Nearby:
    airport: Airport
    km: float


@dataclass(frozen=True)
class Country:
    country: str
    airports: int
    with_iata: int
    zones: list[str]
    highest: Airport


def find(db: sqlite3.Connection, code: str) -> Airport:
    """Return the airport of an IATA or ICAO code; raises `ToolFailed` where there is none."""
    code = code.strip().upper()
    column = "iata" if len(code) == 3 else "icao"
    # The column's name is one of two constants; the code itself is a parameter.
    row = db.execute(f"SELECT * FROM airports WHERE {column} = ?", (code,)).fetchone()  # noqa: S608
    if row is None:
        raise _unknown(db, code)
    return Airport(**row)


def _unknown(db: sqlite3.Connection, code: str) -> ToolFailed:
    city = db.execute("SELECT city, airport FROM city_codes WHERE code = ?", (code,)).fetchall()
    if city:
        return ToolFailed(
            f"{code} is the code of a city, {city[0]['city']}, not of an airport",
            code="CITY_CODE",
            details={"airports": [row["airport"] for row in city]},
        )
    turned = sorted({"".join(letters) for letters in permutations(code[:4])} - {code})
    marks = ",".join("?" * len(turned))
    similar = db.execute(
        f"SELECT coalesce(iata, icao) FROM airports WHERE iata IN ({marks})",  # noqa: S608
        turned,
    )
    return ToolFailed(
        f"no airport has the code {code}",
        code="UNKNOWN_AIRPORT",
        details={"similar": sorted(row[0] for row in similar)},
    )


@tool
def airport(code: str) -> Airport:
    """Find an airport by its code.

    Args:
        code: IATA code of three letters, or ICAO code of four.
    """
    with opened() as db:
        return find(db, code)


@tool
def search_airports(text: str, country: str | None = None, limit: Limit = 10) -> list[Airport]:
    """Search airports by a part of their name or city.

    Args:
        text: What the name or the city contains.
        country: ISO 3166-1 alpha-2 code, to search one country only.
        limit: The most airports to return.
    """
    with opened() as db:
        rows = db.execute(
            "SELECT * FROM airports WHERE iata IS NOT NULL"
            " AND (instr(lower(name), lower(:text)) OR instr(lower(city), lower(:text)))"
            " AND (:country IS NULL OR country = :country) ORDER BY iata LIMIT :limit",
            {"text": text, "country": country, "limit": limit},
        )
        return [Airport(**row) for row in rows]


@tool
def nearest_airports(
    lat: Latitude,
    lon: Longitude,
    count: Limit = 5,
    within_km: Annotated[float, Field(gt=0, le=2000)] = 200.0,
) -> list[Nearby]:
    """Find the airports with an IATA code that are nearest to a place, the nearest first."""
    north = within_km / 111.0
    with opened() as db:
        band = db.execute(
            "SELECT * FROM airports WHERE iata IS NOT NULL AND lat BETWEEN ? AND ?",
            (lat - north, lat + north),
        )
        near = [Nearby(found, _km(found, lat, lon)) for found in (Airport(**row) for row in band)]
    near.sort(key=lambda nearby: nearby.km)
    return [nearby for nearby in near[:count] if nearby.km <= within_km]


def _km(found: Airport, lat: float, lon: float) -> float:
    return round(distance_km(found.lat, found.lon, lat, lon), 3)


def _summary(country: str) -> Country:
    with opened() as db:
        rows = db.execute(
            "SELECT * FROM airports WHERE country = ? ORDER BY elevation_ft DESC", (country,)
        ).fetchall()
    if not rows:
        raise ToolFailed(
            f"no country has the ISO code {country!r}", code="UNKNOWN_COUNTRY", retryable=False
        )
    return Country(
        country=country,
        airports=len(rows),
        with_iata=sum(row["iata"] is not None for row in rows),
        zones=sorted({row["zone"] for row in rows}),
        highest=Airport(**rows[0]),
    )


@tool
def country_summary(country: str) -> Country:
    """Count a country's airports and time zones, and name its highest airport.

    Args:
        country: ISO 3166-1 alpha-2 code.
    """
    return _summary(country)


@tool
async def compare_countries(
    countries: Annotated[list[str], Field(min_length=2, max_length=8)],
) -> dict[str, int]:
    """Count the airports of several countries, the most airports first.

    Args:
        countries: ISO 3166-1 alpha-2 codes.
    """
    found = await asyncio.gather(*(asyncio.to_thread(_summary, code) for code in countries))
    found.sort(key=lambda country: -country.airports)
    return {country.country: country.airports for country in found}


@tool
def airports_in_zone(zone: str, limit: Limit = 10) -> ToolResponse:
    """List airports of a time zone, the highest first, and count all of them.

    Args:
        zone: Name in the tz database, such as Europe/Zurich.
        limit: The most airports to list.
    """
    ZoneInfo(zone)  # raises for a zone that the tz database does not have
    with opened() as db:
        rows = db.execute(
            "SELECT icao FROM airports WHERE zone = ? ORDER BY elevation_ft DESC, icao", (zone,)
        ).fetchall()
    listed = [row["icao"] for row in rows[:limit]]
    return ToolResponse.success(listed, meta={"total": len(rows)})
