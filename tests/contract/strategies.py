# SPDX-License-Identifier: Apache-2.0
"""Hypothesis strategies for JSON trees and for values that have a portable form."""

from __future__ import annotations

from datetime import timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

from hypothesis import strategies as st

from isonomy.contract.portable import Opaque, Tagged

SURROGATES = st.integers(0xD800, 0xDFFF).map(chr)
TEXTS = st.text(max_size=8) | st.lists(st.text(max_size=3) | SURROGATES, max_size=4).map("".join)
INTEGERS = (
    st.integers()
    | st.integers(-(2**70), 2**70)
    | st.sampled_from([2**63, 2**64, 2**64 - 1, -(2**63) - 1, 10**40])
    | st.sampled_from([64, 400, 4300]).map(lambda digits: 10**digits - 1)
)
JSON_SCALARS = (
    st.none() | st.booleans() | INTEGERS | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
)
JSON = st.recursive(
    JSON_SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)

TAGS = [
    *("str", "bytes", "decimal", "date", "time", "offsettime", "datetime", "offsetdatetime"),
    *("zoneddatetime", "duration", "uuid", "set", "map", "opaque", "float", "x", ""),
]
NEAR_TEXTS = st.sampled_from(
    [
        *("NaN", "-Infinity", "aGk=", "aGk", "0.10", "1E+3", "-0", "sNaN", "1E+99999999999"),
        *("2024-02-29", "2023-02-29", "+12345-01-01", "0000-01-01", "12:00:00", "12:00:00.5"),
        *("12:00:00.500", "12:00:00Z", "12:00:00+00:00", "12:00:00.123456789", "-0.5", "1.50"),
        *("2024-01-01T00:00:00", "2024-01-01T00:00:00Z", "2024-01-01T00:00:00.000000001+01:00"),
        "2024-10-27T02:30:00+01:00[Europe/Berlin]",
        "2024-03-31T02:30:00+01:00[Europe/Berlin]",
        "2024-01-01T00:00:00Z[UTC]",
        "123e4567-e89b-12d3-a456-426614174000",
        "123E4567-e89b-12d3-a456-426614174000",
    ]
)


def _tagged(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    pairs = st.lists(st.tuples(inner, inner).map(list), max_size=3)
    opaque = st.fixed_dictionaries({"type": st.text(max_size=3), "path": st.text(max_size=3)})
    payloads = inner | NEAR_TEXTS | st.lists(inner, max_size=3) | pairs | opaque
    return st.tuples(st.sampled_from(TAGS), payloads).map(lambda two: {f"$iso:{two[0]}": two[1]})


TAG_TREES = st.recursive(
    JSON_SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3) | _tagged(inner)
    ),
    max_leaves=12,
)

ZONES = (
    st.none()
    | st.timedeltas(timedelta(hours=-23), timedelta(hours=23)).map(
        lambda offset: timezone(timedelta(seconds=int(offset.total_seconds())))
    )
    | st.sampled_from(
        ["Europe/Berlin", "America/St_Johns", "Asia/Kathmandu", "UTC", "Etc/UTC"]
    ).map(ZoneInfo)
)
SCALARS = (
    JSON_SCALARS
    | st.floats()
    | st.binary(max_size=8)
    | st.decimals()
    | st.dates()
    | st.times()
    | st.datetimes(timezones=ZONES, allow_imaginary=False)
    | st.timedeltas()
    | st.uuids()
    | st.builds(Opaque, TEXTS, TEXTS)
    | st.builds(Tagged, st.sampled_from(["$iso:x", "$iso:date", "$iso:"]), JSON)
)
HASHABLE = st.recursive(
    SCALARS.filter(lambda value: getattr(value, "is_snan", bool)() is False),
    lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3),
    max_leaves=4,
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(TEXTS, inner, max_size=4)
        | st.dictionaries(HASHABLE, inner, max_size=3)
        | st.sets(HASHABLE, max_size=3)
    ),
    max_leaves=12,
)
