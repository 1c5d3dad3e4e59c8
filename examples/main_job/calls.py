# SPDX-License-Identifier: Apache-2.0
"""Makes the calls of the main job from the data: the same calls every time.

Most calls are right. The others make the mistakes that callers make: a city's code for an
airport's, letters turned round, latitude and longitude swapped, a country's everyday name for its
ISO code, a list written as text, JSON cut off in the middle, a phone number without its country.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import phonenumbers
from flights.database import opened
from flights.sphere import distance_km
from phonenumbers import PhoneNumberFormat

CALLS_PER_REQUEST = 5
TAKEOFF = datetime(2026, 3, 29, 0, 30, tzinfo=UTC)  # the night that Europe's clocks go forward
CLOCK_ZONES = (
    "UTC", "Asia/Tokyo", "Asia/Kolkata", "Asia/Kathmandu", "Asia/Dubai", "America/Phoenix",
    "America/Bogota", "Africa/Lagos", "Africa/Nairobi", "Pacific/Honolulu", "Pacific/Kiritimati",
    "Pacific/Marquesas",
)  # fmt: skip
"""Zones that never change their clocks: what the time server says of them holds on every day."""
JAVA_TOOLS = frozenset(
    {"parse_phone", "format_phone", "dial_from", "find_phones", "closest_name", "edit_distance"}
)


@dataclass(frozen=True)
class Call:
    tool: str
    arguments: dict[str, Any] | str


class World:
    """What the calls are made from."""

    def __init__(self) -> None:
        with opened() as db:
            self.airports = [
                dict(row)
                for row in db.execute("SELECT * FROM airports WHERE iata IS NOT NULL ORDER BY iata")
            ]
            self.cities = [row[0] for row in db.execute("SELECT DISTINCT code FROM city_codes")]
            self.countries = [
                row[0]
                for row in db.execute(
                    "SELECT country FROM airports GROUP BY 1 ORDER BY count(*) DESC"
                )
            ]
            self.zones = [
                row[0] for row in db.execute("SELECT DISTINCT zone FROM airports ORDER BY zone")
            ]
        self.codes = {airport["iata"] for airport in self.airports}

    def sample(self, count: int, start: int = 0) -> list[dict[str, Any]]:
        """Return airports spread evenly over the alphabet."""
        return spread(self.airports, count, start)


def spread(items: list[Any], count: int, start: int = 0) -> list[Any]:
    """Return `count` items, evenly spaced."""
    step = len(items) // count
    return items[start % step :: step][:count]


def airport_calls(world: World) -> Iterator[Call]:
    for turn, airport in enumerate(world.sample(48)):
        written = (airport["iata"], airport["icao"], airport["iata"].lower())[turn % 3]
        yield Call("airport", {"code": written})
    for city in sorted(set(world.cities) - world.codes):
        yield Call("airport", {"code": city})
    for airport in world.sample(12, 5):
        code = airport["iata"]
        turned = code[1] + code[0] + code[2]
        yield Call("airport", {"code": turned})
    yield Call("airport", {"iata": "ZRH"})
    yield Call("airport", {"code": ["LHR", "JFK"]})
    yield Call("airport", '{"code": "LHR"')
    yield Call("get_airport", {"code": "LHR"})


def search_calls(world: World) -> Iterator[Call]:
    for turn, airport in enumerate(a for a in world.sample(30, 7) if a["city"]):
        arguments: dict[str, Any] = {"text": airport["city"]}
        if turn % 3 == 1:
            arguments["country"] = airport["country"]
        if turn % 3 == 2:
            arguments["limit"] = 3
        yield Call("search_airports", arguments)
    yield Call("search_airports", {"text": "Zürich"})
    yield Call("search_airports", {"text": "São Paulo", "country": None})
    yield Call("search_airports", {"text": "London", "limit": 500})
    yield Call("search_airports", {"text": "London", "limit": "ten"})
    yield Call("search_airports", {"city": "London"})


def nearest_calls(world: World) -> Iterator[Call]:
    for turn, airport in enumerate(world.sample(22, 11)):
        lat, lon = airport["lat"], airport["lon"]
        # Every fifth caller has them the wrong way round; the schema sees it where |lon| > 90.
        place = {"lat": lon, "lon": lat} if turn % 5 == 4 else {"lat": lat, "lon": lon}
        yield Call("nearest_airports", {**place, "count": 1 + turn % 4})
    yield Call("nearest_airports", {"lat": 46.948, "lon": 7.447, "within_km": 60})
    yield Call("nearest_airports", {"lat": "46.948 N", "lon": "7.447 E"})
    yield Call("nearest_airports", {"lat": 46.948})


def distance_calls(world: World) -> Iterator[Call]:
    yield Call("distance", {"origin": "LHR", "destination": "JFK"})
    yield Call("distance", {"origin": "LHR", "destination": "LHR"})
    units = ("km", "mi", "nmi")
    for turn, (one, other) in enumerate(
        zip(world.sample(40, 3), world.sample(40, 90), strict=True)
    ):
        arguments = {"origin": one["iata"], "destination": other["icao"], "unit": units[turn % 3]}
        yield Call("distance", arguments)
    yield Call("distance", {"origin": "LHR", "destination": "NYC"})
    yield Call("distance", {"origin": "LHR", "destination": "JFK", "unit": "miles"})
    yield Call("distance", {"from": "LHR", "to": "JFK"})
    yield Call("distance", {"origin": "LHR", "destination": None})


def route_calls(world: World) -> Iterator[Call]:
    places = [airport["iata"] for airport in world.sample(72, 17)]
    for turn in range(18):
        stops = places[turn * 4 : turn * 4 + 2 + turn % 3]
        yield Call("route", {"stops": json.dumps(stops) if turn % 6 == 5 else stops})
    yield Call("route", {"stops": "LHR,JFK,SFO"})
    yield Call("route", {"stops": ["LHR"]})
    yield Call("route", {"stops": ["LHR", "NYC", "SFO"]})


def speed_calls(world: World) -> Iterator[Call]:
    for turn, (one, other) in enumerate(
        zip(world.sample(18, 23), world.sample(18, 150), strict=True)
    ):
        km = distance_km(one["lat"], one["lon"], other["lat"], other["lon"])
        departed = TAKEOFF + timedelta(minutes=97 * turn)
        arrived = departed + timedelta(minutes=round(km / 14))
        if turn % 6 == 2:
            departed, arrived = arrived, departed
        if turn % 6 == 4:
            arrived = departed
        times = {"departed": departed.isoformat(), "arrived": arrived.isoformat()}
        if turn % 6 == 5:
            times["arrived"] = times["arrived"].removesuffix("+00:00")
        yield Call("ground_speed", {"origin": one["iata"], "destination": other["iata"], **times})


def time_calls(world: World) -> Iterator[Call]:
    for turn, airport in enumerate(world.sample(24, 31)):
        at = (TAKEOFF + timedelta(hours=turn)).isoformat()
        yield Call("local_time", {"code": airport["iata"], "at": at})
    yield Call("local_time", {"code": "ZRH", "at": "2026-03-29T00:59:59Z"})
    yield Call("local_time", {"code": "ZRH", "at": "2026-03-29T01:00:00Z"})
    yield Call("local_time", {"code": "ZRH", "at": "2026-03-29T01:00:00"})
    yield Call("local_time", {"code": "ZRH", "at": "tomorrow at noon"})


def clock_calls(_: World) -> Iterator[Call]:
    """Yield calls of the server of the time, which is a process of its own."""
    for turn, zone in enumerate(CLOCK_ZONES):
        other = CLOCK_ZONES[(turn + 5) % len(CLOCK_ZONES)]
        time = f"{turn * 2:02}:{turn * 7 % 60:02}"
        yield Call("convert_time", clock(zone, time, other))
    yield Call("convert_time", clock("Europe/Bern", "12:00", "UTC"))
    yield Call("convert_time", clock("UTC", "12:00", "Bern"))
    yield Call("convert_time", clock("UTC", "noon", "Asia/Tokyo"))
    yield Call("convert_time", clock("UTC", "25:00", "Asia/Tokyo"))
    yield Call("convert_time", {"time": "12:00", "target_timezone": "Asia/Tokyo"})
    yield Call("convert_time", {**clock("UTC", "12:00", "Asia/Tokyo"), "time": 12})
    yield Call("get_current_time", {"timezone": "Europe/Bern"})
    yield Call("get_current_time", {})


def clock(source: str, time: str, target: str) -> dict[str, str]:
    return {"source_timezone": source, "time": time, "target_timezone": target}


def country_calls(world: World) -> Iterator[Call]:
    for country in spread(world.countries, 24):
        yield Call("country_summary", {"country": country})
    yield Call("country_summary", {"country": "UK"})
    yield Call("country_summary", {"country": "Switzerland"})
    yield Call("country_summary", {})


def comparison_calls(world: World) -> Iterator[Call]:
    for turn in range(9):
        countries = world.countries[turn * 3 : turn * 3 + 3]
        yield Call("compare_countries", {"countries": countries})
    yield Call("compare_countries", {"countries": ["GB", "UK"]})
    yield Call("compare_countries", {"countries": ["GB", 44]})


def zone_calls(world: World) -> Iterator[Call]:
    for zone in spread(world.zones, 16):
        yield Call("airports_in_zone", {"zone": zone, "limit": 3})
    yield Call("airports_in_zone", {"zone": "Europe/Bern"})
    yield Call("airports_in_zone", {"zone": "+01:00"})


def trip_calls(world: World) -> Iterator[Call]:
    homes = world.sample(10, 41)
    for turn, (home, away) in enumerate(zip(homes, homes[1:] + homes[:1], strict=True)):
        stops = [home["iata"], away["iata"], home["iata"]]
        yield Call("save_trip", {"name": f"{home['iata']} and back", "stops": stops})
        if turn == 4:  # sent again, as after an answer that was lost
            yield Call("save_trip", {"name": f"{home['iata']} and back", "stops": stops})
    yield Call("save_trip", {"name": "London", "stops": ["LON", "JFK"]})
    yield Call("save_trip", {"name": "mine", "stops": ["LHR", "JFK"], "tenant": "other"})
    for home in homes:
        yield Call("read_trip", {"name": f"{home['iata']} and back"})
    yield Call("read_trip", {"name": "London"})
    yield Call("read_trip", {"name": "mine", "Tenant": "other"})


def phone_calls(_: World) -> Iterator[Call]:
    for turn, (region, number) in enumerate(_numbers()):
        national = phonenumbers.format_number(number, PhoneNumberFormat.NATIONAL)
        international = phonenumbers.format_number(number, PhoneNumberFormat.INTERNATIONAL)
        e164 = phonenumbers.format_number(number, PhoneNumberFormat.E164)
        yield (
            Call("parse_phone", {"number": national, "region": region}),
            Call("parse_phone", {"number": international}),
            Call("parse_phone", {"number": e164, "region": None}),
            Call("parse_phone", {"number": national}),  # whose country?
            Call("format_phone", {"number": e164, "style": "NATIONAL"}),
            Call("format_phone", {"number": e164[:-3], "style": "INTERNATIONAL"}),
            Call("format_phone", {"number": e164, "style": "rfc3966" if turn > 99 else "RFC3966"}),
            Call("dial_from", {"number": e164, "from": "CH"}),
            Call("find_phones", {"text": f"{region}: tel. {national}, {e164}", "region": region}),
        )[turn % 9]
    yield Call("parse_phone", {"number": 442079460958})
    yield Call("parse_phone", {"number": "ask at the desk", "region": "GB"})
    yield Call("dial_from", {"number": "+442079460958", "from": "UK"})
    yield Call("find_phones", {"text": "no number in here", "region": "CH"})


def _numbers() -> Iterator[tuple[str, phonenumbers.PhoneNumber]]:
    """Yield the example number that libphonenumber's metadata gives for each region."""
    for region in sorted(phonenumbers.SUPPORTED_REGIONS)[::2]:
        number = phonenumbers.example_number(region)
        if number is not None:
            yield region, number


def name_calls(world: World) -> Iterator[Call]:
    named = [airport for airport in world.airports if len(airport["city"]) > 4]
    for turn, airport in enumerate(spread(named, 24)):
        at = named.index(airport)
        cities = [one["city"] for one in named[max(0, at - 4) : at + 4]]
        city = airport["city"]
        typed = city[:2] + city[3] + city[2] + city[4:]
        if turn % 4 == 3:
            yield Call("edit_distance", {"left": typed, "right": city})
        else:
            yield Call("closest_name", {"name": typed, "candidates": cities})
    yield Call("closest_name", {"name": "Lodnon", "candidates": ["London", "Londrina", "Lodwar"]})
    yield Call("closest_name", {"name": "Tokyo", "candidates": ["Paris", "Lima"]})
    yield Call("closest_name", {"name": "Tokyo", "candidates": []})
    yield Call("closest_name", {"name": "Tokyo", "candidates": "Tokio"})
    yield Call("edit_distance", {"left": "Zürich", "right": "Zurich", "limit": 2})
    yield Call("edit_distance", {"left": "Geneva", "right": "Genève", "limit": -1})


MAKERS = (
    airport_calls, search_calls, nearest_calls, distance_calls, route_calls, speed_calls,
    time_calls, clock_calls, country_calls, comparison_calls, zone_calls, trip_calls, phone_calls,
    name_calls,
)  # fmt: skip


def mixed(world: World) -> list[Call]:
    """Return all calls, those of each kind in their order, the kinds spread over the whole."""
    placed = []
    for kind, maker in enumerate(MAKERS):
        made = list(maker(world))
        placed += [((at + 0.5) / len(made), kind, call) for at, call in enumerate(made)]
    placed.sort(key=lambda place: place[:2])
    return [call for _, _, call in placed]


def our_form(number: int, calls: list[Call]) -> dict[str, Any]:
    """Write a request in Isonomy's own form."""
    return {
        "event": "tool_request",
        "id": f"request-{number:03}",
        "calls": [
            {"call_id": f"call-{number:03}-{at}", "tool": call.tool, "arguments": call.arguments}
            for at, call in enumerate(calls)
        ],
    }


def openai_form(number: int, calls: list[Call]) -> dict[str, Any]:
    """Write a request as the message in which a model asks for tools."""
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": f"call-{number:03}-{at}",
                "type": "function",
                "function": {
                    "name": call.tool,
                    "arguments": call.arguments
                    if isinstance(call.arguments, str)
                    else json.dumps(call.arguments, ensure_ascii=False),
                },
            }
            for at, call in enumerate(calls)
        ],
    }


def write_calls(path: Path, *, java: bool) -> int:
    """Write the requests, one a line; return how many calls they hold."""
    calls = [call for call in mixed(World()) if java or call.tool not in JAVA_TOOLS]
    with path.open("w", encoding="utf-8", newline="\n") as lines:
        for number, at in enumerate(range(0, len(calls), CALLS_PER_REQUEST)):
            form = openai_form if number % 3 == 2 else our_form
            request = form(number, calls[at : at + CALLS_PER_REQUEST])
            lines.write(json.dumps(request, ensure_ascii=False) + "\n")
    return len(calls)
