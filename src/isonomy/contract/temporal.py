# SPDX-License-Identifier: Apache-2.0
"""The texts of dates, times and durations (clauses 5.13 to 5.16).

Reading gives None for what Python cannot hold, or what is not written exactly as the clause says:
such a text stays a `Tagged`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from typing import Any, TypeVar

T = TypeVar("T")

_DATE = r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
_TIME = r"([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,6}))?"
_OFFSET = r"(Z|[+-][0-9]{2}:[0-9]{2}(?::[0-9]{2})?)"

_date = re.compile(_DATE).fullmatch
_time = re.compile(_TIME).fullmatch
_offset_time = re.compile(_TIME + _OFFSET).fullmatch
_datetime = re.compile(f"{_DATE}T{_TIME}").fullmatch
_offset_datetime = re.compile(f"{_DATE}T{_TIME}{_OFFSET}").fullmatch
_zoned_datetime = re.compile(rf"{_DATE}T{_TIME}{_OFFSET}\[([A-Z][A-Za-z0-9_+/-]*)\]").fullmatch
_duration = re.compile(r"(-?)([0-9]{1,14})(?:\.([0-9]{1,6}))?").fullmatch
# Java's names of fixed zones; the zone database has UTC and GMT too, which are fixed all the same.
_fixed = re.compile(r"Z|[+-].*|(?:UTC|GMT|UT)(?:[+-].*)?").fullmatch

_MICROSECOND = timedelta(microseconds=1)


def date_text(value: date) -> str:
    """Write a date."""
    return f"{value.year:04d}-{value.month:02d}-{value.day:02d}"


def time_tag(value: time) -> tuple[str, str] | None:
    """Give tag and text of a time; None where its zone has no offset of its own."""
    text = clock_text(value)
    if value.tzinfo is None:
        return "$iso:time", text
    offset = offset_text(value.utcoffset())
    return None if offset is None else ("$iso:offsettime", text + offset)


def datetime_tag(value: datetime, nanosecond: int = 0) -> tuple[str, str] | None:
    """Give tag and text of a datetime; None where its offset has no text.

    `nanosecond` is what comes after the microseconds, 0 to 999.
    """
    text = f"{date_text(value)}T{clock_text(value, nanosecond)}"
    offset = value.utcoffset()
    if offset is None:
        return "$iso:datetime", text
    suffix = offset_text(offset)
    if suffix is None:
        return None
    region = region_of(value.tzinfo)
    if region is None:
        return "$iso:offsetdatetime", text + suffix
    return "$iso:zoneddatetime", f"{text}{suffix}[{region}]"


def clock_text(value: time | datetime, nanosecond: int = 0) -> str:
    """Write hour, minute, second and the fraction without trailing zeros."""
    text = f"{value.hour:02d}:{value.minute:02d}:{value.second:02d}"
    fraction = value.microsecond * 1000 + nanosecond
    return f"{text}.{fraction:09d}".rstrip("0") if fraction else text


def offset_text(offset: timedelta | None) -> str | None:
    """Write an offset; None where there is none, or it is not of whole seconds."""
    if offset is None or offset.microseconds:
        return None
    seconds = offset.days * 86_400 + offset.seconds
    if seconds == 0:
        return "Z"
    sign = "-" if seconds < 0 else "+"
    minutes, second = divmod(abs(seconds), 60)
    text = f"{sign}{minutes // 60:02d}:{minutes % 60:02d}"
    return f"{text}:{second:02d}" if second else text


def region_of(zone: tzinfo | None) -> str | None:
    """Name the region of a zone (`zoneinfo` and `pytz` know theirs); None for a fixed zone."""
    name = getattr(zone, "key", None) or getattr(zone, "zone", None)
    return name if isinstance(name, str) and not _fixed(name) else None


def duration_text(value: timedelta) -> str:
    """Write a duration as signed decimal seconds."""
    return nanoseconds_text(value // _MICROSECOND * 1000)


def nanoseconds_text(nanoseconds: int) -> str:
    """Write a duration of nanoseconds as signed decimal seconds."""
    seconds, fraction = divmod(abs(nanoseconds), 1_000_000_000)
    text = f"{seconds}.{fraction:09d}".rstrip("0") if fraction else str(seconds)
    return "-" + text if nanoseconds < 0 else text


def read_date(text: str) -> date | None:
    """Read a date."""
    found = _date(text)
    return None if found is None else _made(date, *map(int, found.groups()))


def read_time(text: str) -> time | None:
    """Read a time without offset."""
    found = _time(text)
    return None if found is None else _checked(_made(time, *_clock(found.groups())), text, time_tag)


def read_offset_time(text: str) -> time | None:
    """Read a time with an offset."""
    found = _offset_time(text)
    if found is None:
        return None
    *clock, offset = found.groups()
    return _checked(_made(time, *_clock(clock), _zone(offset)), text, time_tag)


def read_datetime(text: str) -> datetime | None:
    """Read a datetime without offset."""
    found = _datetime(text)
    if found is None:
        return None
    year, month, day, *clock = found.groups()
    made = _made(datetime, int(year), int(month), int(day), *_clock(clock))
    return _checked(made, text, datetime_tag)


def read_offset_datetime(text: str) -> datetime | None:
    """Read a datetime with an offset."""
    found = _offset_datetime(text)
    if found is None:
        return None
    year, month, day, *clock, offset = found.groups()
    made = _made(datetime, int(year), int(month), int(day), *_clock(clock), _zone(offset))
    return _checked(made, text, datetime_tag)


def read_zoned_datetime(text: str) -> datetime | None:
    """Read a datetime with offset and region; None where that region does not allow that offset."""
    found = _zoned_datetime(text)
    if found is None:
        return None
    region = found[9]
    zone = _region(region)
    fixed = read_offset_datetime(text[: text.index("[")])
    if zone is None or fixed is None:
        return None
    try:
        made = fixed.astimezone(zone)
    except OverflowError:  # the instant lies beyond the years that Python holds
        return None
    # In a gap the same instant has another local time, which the text shows.
    return _checked(made, text, datetime_tag)


def read_duration(text: str) -> timedelta | None:
    """Read a duration."""
    found = _duration(text)
    if found is None:
        return None
    sign, seconds, fraction = found.groups()
    microseconds = int(seconds) * 1_000_000 + int((fraction or "").ljust(6, "0"))
    made = _made(timedelta, 0, 0, -microseconds if sign else microseconds)
    return made if made is not None and duration_text(made) == text else None


def _clock(groups: Any) -> tuple[int, int, int, int]:
    hour, minute, second, fraction = groups
    return int(hour), int(minute), int(second), int((fraction or "").ljust(6, "0"))


def _zone(offset: str) -> timezone | None:
    if offset == "Z":
        return UTC
    hours, minutes, seconds = int(offset[1:3]), int(offset[4:6]), int(offset[7:9] or 0)
    length = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    return _made(timezone, -length if offset[0] == "-" else length)


def _region(name: str) -> tzinfo | None:
    from zoneinfo import ZoneInfo

    if _fixed(name):
        return None
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # not in the zone database, or no name of a zone
        return None


def _made(make: Callable[..., T], *parts: Any) -> T | None:
    try:
        return make(*parts)
    except (ValueError, OverflowError):
        return None


def _checked(made: T | None, text: str, tag: Callable[[T], tuple[str, str] | None]) -> T | None:
    """Give what was made where it is written as the very text that was read."""
    if made is None:
        return None
    written = tag(made)
    return made if written is not None and written[1] == text else None
