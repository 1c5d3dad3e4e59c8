# SPDX-License-Identifier: Apache-2.0
"""What came as arguments becomes plain JSON values of the tool's own (clauses 7.1 and 7.2)."""

import collections
import datetime as dt
import decimal
import enum
import types
from typing import Any

import pytest

from isonomy.contract.outcome import Settled
from isonomy.tools.arguments import parse


class Level(enum.IntEnum):
    LOW = 1


class Letter(enum.StrEnum):
    A = "a"


class Color(enum.Enum):
    RED = "red"


class Text(str):
    __slots__ = ()


@pytest.mark.parametrize("absent", [None, "", " \n\t", b"", "null", {}, "{}", b" {} "])
def test_absent_null_and_blank_are_an_empty_object(absent):
    assert parse(absent) == {}


@pytest.mark.parametrize("text", ["[]", "1", '"x"', "true", '"{}"', 5, ["a"], object()])
def test_a_non_object_is_refused(text):
    outcome = parse(text)
    assert isinstance(outcome, Settled)
    assert outcome.error.message == "arguments: expected object"
    assert (outcome.error.kind, outcome.error.effect) == ("invalid_arguments", "none")


def refused(arguments: object) -> str:
    outcome = parse(arguments)
    assert isinstance(outcome, Settled)
    return outcome.error.message


def accepted(arguments: object) -> dict[str, Any]:
    parsed = parse(arguments)
    assert isinstance(parsed, dict)
    return parsed


def test_a_body_gets_containers_of_its_own():
    given = {"flat": 1}
    assert parse(given) == given
    assert parse(given) is not given
    nested = {"list": [1, {"a": []}]}
    parsed = accepted(nested)
    parsed["list"][1]["a"].append(1)
    assert nested == {"list": [1, {"a": []}]}


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (Level.LOW, 1),
        (Letter.A, "a"),
        (Text("t"), "t"),
        ((1, (2,)), [1, [2]]),
        (collections.OrderedDict(a=1), {"a": 1}),
        (types.MappingProxyType({"a": (1,)}), {"a": [1]}),
        (True, True),
        (10**4300 - 1, 10**4300 - 1),
    ],
)
def test_relatives_of_json_types_become_them(value, plain):
    (parsed,) = accepted({"v": value}).values()
    assert parsed == plain
    assert type(parsed) is type(plain)
    (parsed,) = accepted(types.MappingProxyType({"v": [value]})).values()
    assert type(parsed[0]) is type(plain)


@pytest.mark.parametrize(
    "value",
    [
        dt.date(2026, 1, 31),
        b"x",
        float("nan"),
        float("inf"),
        decimal.Decimal("1.5"),
        {1},
        {1: "a"},
        Color.RED,
        1j,
        object(),
        range(2),
    ],
)
def test_other_values_are_refused_at_their_place(value):
    outcome = parse({"a": {"b": ["x", value]}})
    assert isinstance(outcome, Settled)
    assert outcome.error.details == {
        "violations": [{"path": "a.b[1]", "rule": "type", "message": "expected a JSON value"}]
    }


def test_host_made_arguments_have_the_limits_of_text():
    deep: object = 1
    for _ in range(128):
        deep = [deep]
    assert refused({"a": deep}) == "arguments: is nested too deep"
    cycle: dict[str, object] = {}
    cycle["self"] = cycle
    assert refused(cycle) == "arguments: is nested too deep"
    assert refused({"n": 10**4300}) == "arguments: is not valid JSON"
    assert refused({"n": [-(10**4300)]}) == "arguments: is not valid JSON"


def test_keys_that_are_no_strings_are_refused():
    assert refused({1: "a"}) == "arguments: expected object"
