# SPDX-License-Identifier: Apache-2.0
"""Values across the bridge and back (clause 5; CASES D4, D5, D7, D11, I1, J4, J7)."""

from __future__ import annotations

import struct
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.bridge.conftest import Load

from isonomy.bridge.line import ROOM
from isonomy.contract.canonical import canonical
from isonomy.contract.outcome import Returned
from isonomy.contract.portable import Opaque, Tagged
from isonomy.runtime.executor import ToolExecutor
from isonomy.tools.tool import Invocation

LONG = 2**63


def echoed(load: Load, value: Any) -> Any:
    """Give what Java makes of any portable value: one of the host's, arguments are plain JSON."""
    outcome = load("com.acme.Values")["echoGiven"].invoke(Invocation({}, {"given": value}))
    assert isinstance(outcome, Returned), outcome
    return outcome.value


# Integers ---------------------------------------------------------------------------------------

INTEGERS = [
    (2**31 - 1, "int"),
    (-(2**31), "int"),
    (2**31, "long"),
    (2**53 + 1, "long"),
    (LONG - 1, "long"),
    (-LONG, "long"),
    (LONG, "BigInteger"),
    (-LONG - 1, "BigInteger"),
    (10**400, "BigInteger"),
]


@pytest.mark.parametrize(("value", "kind"), INTEGERS)
def test_integers_from_java_are_exact(executor: ToolExecutor, value: int, kind: str) -> None:
    result = executor.call("integer", {"digits": str(value), "type": kind}).unwrap()
    assert type(result) is int
    assert result == value


@pytest.mark.parametrize(("value", "kind"), INTEGERS)
def test_integers_to_java_are_exact(executor: ToolExecutor, value: int, kind: str) -> None:
    result = executor.call("types", {"value": value}).unwrap()
    fits = -LONG <= value < LONG
    assert result == {
        "type": "java.lang.Long" if fits else "java.math.BigInteger",
        "text": str(value),
    }


def test_integers_of_too_many_digits_do_not_cross(executor: ToolExecutor) -> None:
    error = executor.call("integer", {"digits": "9" * 4301, "type": "big"}).error
    assert error is not None
    assert (error.kind, error.message) == ("too_large", "$: an integer of more than 4300 digits")


@pytest.mark.parametrize("value", [1, 3_000_000_000, LONG - 1, -LONG])
def test_boxed_long_takes_small_and_large(executor: ToolExecutor, value: int) -> None:
    assert executor.call("boxed", {"id": value}).unwrap() == f"id {value}"


@pytest.mark.parametrize("value", [LONG, -LONG - 1, 1.5, "1", True, None])
def test_boxed_long_refuses_what_is_none(executor: ToolExecutor, value: Any) -> None:
    error = executor.call("boxed", {"id": value}).error
    assert error is not None
    assert (error.kind, error.effect) == ("invalid_arguments", "none")
    assert error.message.startswith("id: ")


# Maps, live objects -----------------------------------------------------------------------------


def test_long_keys_stay_keys(executor: ToolExecutor) -> None:
    result = executor.call("longKeys").unwrap()
    assert result[25] == 26
    assert result == {25: 26}


def test_no_live_object_crosses(executor: ToolExecutor) -> None:
    result = executor.call("alive").unwrap()
    assert result == {
        "nested": [{"n": 7, "f": 1.5}, [1, None, "x"]],
        "thread": Opaque("java.lang.Thread", "$.thread"),
        "exception": Opaque("java.lang.IllegalStateException", "$.exception"),
    }
    plain = {dict, list, str, int, float, bool, type(None), Opaque}

    def walk(value: Any) -> None:
        assert type(value) in plain
        members = value.values() if type(value) is dict else value if type(value) is list else ()
        for member in members:
            walk(member)

    walk(result)


# Texts and sizes --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["", "é", "\0", "😀", "\u2028", '"\\/\b\f\n\r\t', "$iso:date", "a" * 70_000]
)
def test_texts(executor: ToolExecutor, text: str) -> None:
    assert executor.call("echo", {"value": text}).unwrap() == text
    assert executor.call("length", {"text": text}).unwrap() == len(text.encode("utf-16-le")) // 2


def test_lone_surrogates_of_java(executor: ToolExecutor) -> None:
    assert executor.call("surrogate").unwrap() == "a\ud800b 😀 é\0"
    assert executor.call("boxed", {"id": 1}).unwrap() == "id 1"


def test_lone_surrogates_to_java(executor: ToolExecutor) -> None:
    assert executor.call("echo", {"value": "a\ud800b"}).unwrap() == "a\ud800b"


@pytest.mark.parametrize("size", [0, 1, ROOM - 200, ROOM - 60, ROOM, 2**20, 11 * 2**20])
def test_bytes_of_any_size(executor: ToolExecutor, size: int) -> None:
    assert executor.call("bytes", {"size": size}).unwrap() == b"\xa5" * size


def test_sizes_around_the_buffer(executor: ToolExecutor) -> None:
    """The reply's last byte fits, and does not: an envelope of a text has a fixed frame."""
    for size in range(ROOM - 60, ROOM + 10):
        assert executor.call("text", {"size": size}).unwrap() == "x" * size
        text = "y" * (size - 150)
        assert executor.call("length", {"text": text}).unwrap() == len(text)


def test_sixteen_mebibytes(load: Load) -> None:
    executor = ToolExecutor(load("com.acme.Values").values(), max_result_bytes=17 * 2**20)
    assert executor.call("text", {"size": 2**24}).unwrap() == "x" * 2**24
    assert executor.call("length", {"text": "é" * 2**23}).unwrap() == 2**23


def test_a_result_over_the_limit(load: Load) -> None:
    executor = ToolExecutor(load("com.acme.Values").values(), max_result_bytes=1000)
    assert executor.call("text", {"size": 998}).is_success
    error = executor.call("text", {"size": 999}).error
    assert error is not None
    assert (error.kind, error.effect) == ("too_large", "possible")
    assert error.message == "the result takes more than 1000 bytes"


# Every portable value ---------------------------------------------------------------------------

TAGS = [
    b"\xff\x00\xfe",
    Decimal("0.10"),
    Decimal("1E+3"),
    Decimal("-0.00"),
    Decimal("NaN"),
    float("nan"),
    float("-inf"),
    -0.0,
    date(2024, 2, 29),
    time(1, 2, 3, 4),
    datetime(2024, 2, 29, 1, 2, 3),  # noqa: DTZ001 - a time without a zone is meant
    datetime(2024, 2, 29, 1, 2, 3, tzinfo=UTC),
    timedelta(days=-1, microseconds=1),
    UUID(int=7),
    {1, 2.5, "x"},
    {(1, 2): 3, None: 4},
    {"$iso:date": "no date"},
    {"$iso:map": []},
    {"v": 1, "outcome": "settled"},
    {"status": "failure", "error": {"kind": "x"}},
    Tagged("$iso:unknown", [1, {"a": None}]),
    Tagged("$iso:date", "2024-13-01"),
    Opaque("x.Y", "$.a"),
    "\ud800",
    {"\udfff": 1},
]


@pytest.mark.parametrize("value", TAGS, ids=repr)
def test_tags_round_trip(load: Load, value: Any) -> None:
    assert canonical(echoed(load, value)) == canonical(value)


texts = st.text(st.characters(exclude_categories=()), max_size=20)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    texts,
    st.binary(max_size=20),
    st.decimals(),
    st.dates(),
    st.times(),
    st.datetimes(),
    st.datetimes(timezones=st.timezones()),
    st.timedeltas(),
    st.uuids(),
)
keys = st.one_of(texts, st.integers(), st.none(), st.booleans(), st.uuids(), st.tuples(texts))
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=5),
        st.dictionaries(texts, inner, max_size=5),
        st.dictionaries(st.sampled_from(["$iso:date", "$iso:map", "$", "a"]), inner, max_size=2),
        st.dictionaries(keys, inner, max_size=4),
        st.sets(keys, max_size=4),
    ),
    max_leaves=15,
)


@settings(max_examples=300, deadline=None)
@given(value=values)
def test_any_portable_value_round_trips(load: Load, value: Any) -> None:
    assert canonical(echoed(load, value)) == canonical(value)


@settings(max_examples=300, deadline=None)
@given(bits=st.integers(0, 2**64 - 1))
def test_any_float_keeps_its_bits(load: Load, bits: int) -> None:
    (value,) = struct.unpack("<d", struct.pack("<Q", bits))
    if value != value:
        bits = 0x7FF8000000000000  # there is one NaN (clause 5.9)
    assert struct.pack("<d", echoed(load, value)) == struct.pack("<Q", bits)


def test_a_tool_gets_the_values_of_its_arguments(load: Load) -> None:
    tool = load("com.acme.Values")["echo"]
    value = {"a": [1, 1.0, "1", True, None, {"$iso:date": "2024-01-01"}]}
    outcome = tool.invoke(Invocation({"value": value}))
    assert outcome == Returned(value)  # a model's `$iso:` key is data (clause 7.1)
