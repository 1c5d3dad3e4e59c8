# SPDX-License-Identifier: Apache-2.0
"""Tools that keep trips, each tenant's apart."""

import json
from dataclasses import dataclass
from typing import Annotated

from flights.database import opened
from flights.routes import Stops, leg, legs
from isonomy import Injected, ToolResponse, tool

Tenant = Annotated[str, Injected(identity=True)]


@dataclass(frozen=True)
class Trip:
    name: str
    stops: list[str]
    km: float


@tool
def save_trip(name: str, stops: Stops, tenant: Tenant) -> Trip:
    """Keep a trip under a name that is not taken yet.

    Args:
        name: The trip's name.
        stops: IATA or ICAO codes in flying order.
    """
    km = sum(leg(*pair).km for pair in legs(stops))
    with opened() as db:
        db.execute("INSERT INTO trips VALUES (?,?,?,?)", (tenant, name, json.dumps(stops), km))
    return Trip(name, stops, km)


@tool
def read_trip(name: str, tenant: Tenant) -> Trip | ToolResponse:
    """Read a trip that was kept.

    Args:
        name: The trip's name.
    """
    with opened() as db:
        row = db.execute(
            "SELECT * FROM trips WHERE tenant = ? AND name = ?", (tenant, name)
        ).fetchone()
        kept = [one[0] for one in db.execute("SELECT name FROM trips WHERE tenant = ?", (tenant,))]
    if row is None:
        return ToolResponse.error("no such trip", code="NO_SUCH_TRIP", details={"kept": kept})
    return Trip(row["name"], json.loads(row["stops"]), row["km"])
