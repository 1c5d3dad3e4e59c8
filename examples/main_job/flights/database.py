# SPDX-License-Identifier: Apache-2.0
"""The airports of the `airportsdata` package (MIT licence) as an SQLite database."""

import csv
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.resources import files
from pathlib import Path

DEFAULT = Path(__file__).resolve().parent.parent / "out" / "flights.sqlite"

SCHEMA = """
CREATE TABLE airports (
    icao TEXT PRIMARY KEY, iata TEXT, name TEXT NOT NULL, city TEXT NOT NULL,
    region TEXT NOT NULL, country TEXT NOT NULL, elevation_ft REAL NOT NULL,
    lat REAL NOT NULL, lon REAL NOT NULL, zone TEXT NOT NULL
) WITHOUT ROWID;
CREATE UNIQUE INDEX airports_iata ON airports (iata) WHERE iata IS NOT NULL;
CREATE INDEX airports_country ON airports (country);
CREATE INDEX airports_lat ON airports (lat);
CREATE INDEX airports_zone ON airports (zone);
CREATE TABLE city_codes (
    code TEXT NOT NULL, city TEXT NOT NULL, airport TEXT NOT NULL,
    PRIMARY KEY (code, airport)
) WITHOUT ROWID;
CREATE TABLE trips (
    tenant TEXT NOT NULL, name TEXT NOT NULL, stops TEXT NOT NULL, km REAL NOT NULL,
    PRIMARY KEY (tenant, name)
) WITHOUT ROWID;
"""


def path() -> Path:
    """Return where the database is: FLIGHTS_DATABASE, or `out/flights.sqlite` of this example."""
    named = os.environ.get("FLIGHTS_DATABASE")
    return Path(named) if named else DEFAULT


def build() -> None:
    """Make the database anew, without trips; readers see the old one or the whole new one."""
    path().parent.mkdir(parents=True, exist_ok=True)
    partial = path().with_suffix(f".part{os.getpid()}")
    partial.unlink(missing_ok=True)
    with closing(sqlite3.connect(partial)) as db:
        db.executescript(SCHEMA)
        db.executemany("INSERT INTO airports VALUES (?,?,?,?,?,?,?,?,?,?)", _airports())
        db.executemany("INSERT INTO city_codes VALUES (?,?,?)", _city_codes())
        db.commit()
    partial.replace(path())


@contextmanager
def opened() -> Iterator[sqlite3.Connection]:
    """Open the database for one piece of work: commit it where it ends well, else roll back."""
    if not path().exists():
        build()
    with closing(sqlite3.connect(path())) as db:
        db.row_factory = sqlite3.Row
        with db:
            yield db


def _rows(name: str) -> Iterator[dict[str, str]]:
    with files("airportsdata").joinpath(name).open(encoding="utf-8", newline="") as table:
        yield from csv.DictReader(table)


def _airports() -> Iterator[tuple[str | float | None, ...]]:
    for row in _rows("airports.csv"):
        yield (
            row["icao"], row["iata"] or None, row["name"], row["city"], row["subd"],
            row["country"], float(row["elevation"]), float(row["lat"]), float(row["lon"]),
            row["tz"],
        )  # fmt: skip


def _city_codes() -> Iterator[tuple[str, str, str]]:
    for row in _rows("iata_macs.csv"):
        yield row["City Code"], row["City Name"], row["Airport Code"]
