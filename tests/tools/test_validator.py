# SPDX-License-Identifier: Apache-2.0
"""JSON Schema judges arguments, and violations name their exact place (clauses 7.3 to 7.10)."""

import operator
import sys
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy.contract.misuse import Misuse
from isonomy.tools.validator import Validator

numbers = (
    st.integers(min_value=-(10**30), max_value=10**30)
    | st.integers(min_value=-(2**64) - 2, max_value=2**64 + 2)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([2**53, 2**53 + 1, float(2**53), 2**63, 2**63 - 1, -(2**63), 0.1, 1e30, -0.0])
)
COMPARISONS = {
    "minimum": operator.ge,
    "maximum": operator.le,
    "exclusiveMinimum": operator.gt,
    "exclusiveMaximum": operator.lt,
}


def judged(schema, value):
    """Give what the validator says at once and rule by rule, which is the same."""
    validator = Validator(schema, "t")
    accepted = validator.accepts(value)
    assert (validator.violations(value) == []) is accepted
    return accepted


@given(numbers, numbers, st.sampled_from(sorted(COMPARISONS)))
def test_limits_compare_numbers_exactly(limit, value, keyword):
    expected = COMPARISONS[keyword](Fraction(value), Fraction(limit))
    assert judged({keyword: limit}, value) is expected


@given(numbers, numbers)
def test_const_and_unique_compare_numbers_exactly(one, other):
    equal = Fraction(one) == Fraction(other)
    assert judged({"const": one}, other) is equal
    assert judged({"uniqueItems": True}, [one, other]) is not equal


@given(numbers)
def test_an_integer_is_a_number_without_fraction(value):
    assert judged({"type": "integer"}, value) is (Fraction(value).denominator == 1)


def places(schema, value):
    return [(one.path, one.rule) for one in Validator(schema, "t").violations(value)]


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        ({"properties": {"": {"type": "string"}}}, {"": 1}, [('[""]', "type")]),
        ({"properties": {"0": {"type": "string"}}}, {"0": 1}, [('["0"]', "type")]),
        ({"properties": {"01": {"type": "string"}}}, {"01": 1}, [('["01"]', "type")]),
        (
            {"additionalProperties": {"type": "string"}},
            {"+1": 1, "1": 2, "a/b~c": 3},
            [('["+1"]', "type"), ('["1"]', "type"), ('["a/b~c"]', "type")],
        ),
        (
            {"properties": {"": {"properties": {"": {"items": {"minimum": 1}}}}}},
            {"": {"": [1, 0]}},
            [('[""][""][1]', "minimum")],
        ),
        (
            {"properties": {"then": {"required": ["else"]}}},
            {"then": {}},
            [("then.else", "required")],
        ),
        (
            {
                "properties": {
                    "a": {"if": {"required": ["x"]}, "then": {"properties": {"x": False}}}
                }
            },
            {"a": {"x": 1}},
            [("a", "if")],
        ),
        (
            {"items": {"patternProperties": {"^x": {"if": True, "else": False, "then": False}}}},
            [{}, {"x1": 1}],
            [("[1].x1", "if")],
        ),
        ({"properties": {"a": False}}, {"a": 1}, [("a", "properties")]),
        ({"items": False}, [1], [("[0]", "items")]),
        ({"propertyNames": {"maxLength": 1}}, {"ab": 1}, [("arguments", "propertyNames")]),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, [("arguments", "dependentRequired")]),
        ({"dependentSchemas": {"a": {"required": ["b"]}}}, {"a": 1}, [("b", "required")]),
        ({"contains": {"type": "null"}, "minContains": 2}, [None], [("arguments", "minContains")]),
        (
            {"anyOf": [{"properties": {"a": {"type": "string"}}}]},
            {"a": 1},
            [("arguments", "anyOf")],
        ),
        ({"pattern": "(x+)+$"}, "x" * 40 + "!", [("arguments", "pattern")]),
        ({"allOf": [False]}, {}, [("arguments", "allOf")]),
        ({"additionalProperties": False}, {"a": 1}, [("a", "additionalProperties")]),
        ({"unevaluatedItems": False}, [1], [("[0]", "unevaluatedItems")]),
    ],
)
def test_a_violation_names_its_place_and_rule(schema, value, expected):
    assert sorted(places(schema, value)) == expected


def test_types_are_named_in_the_order_of_the_schema():
    schema = {"properties": {"7": {"type": ["string", "null", "integer"]}}}
    (violation,) = Validator(schema, "t").violations({"7": []})
    assert violation.message == "expected string or null or integer"


def test_lone_surrogates_are_characters():
    validator = Validator({"properties": {"a": {"maxLength": 2}}, "required": ["b"]}, "t")
    assert validator.accepts({"a": "\ud800x", "b": 1})
    (violation,) = validator.violations({"a": "\ud800"})
    assert violation.path == "b"


@pytest.mark.parametrize(
    "reference",
    ["http://127.0.0.1:9/s.json", "file:///etc/hostname", "other.json", "#/$defs/nowhere"],
)
def test_nothing_outside_the_schema_is_fetched(reference):
    with pytest.raises(Misuse, match=r"'t'.*\$defs"):
        Validator({"properties": {"a": {"$ref": reference}}}, "t")


@pytest.mark.parametrize("schema", [{"type": "text"}, {"pattern": "["}, {"minimum": "1"}])
def test_what_is_no_schema_is_misuse(schema):
    with pytest.raises(Misuse, match="tool 't'"):
        Validator(schema, "t")


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"allOf": [{"$ref": "#"}]},
        {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"not": {"$ref": "#/$defs/a"}}}},
        {"$defs": {"a": {"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/a"}]}}},
        {"dependentSchemas": {"a": {"$dynamicRef": "#"}}},
        {"$defs": {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(64)} | {"d64": True}},
        {"$defs": {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(20)}
         | {"d20": True}},
    ],
)  # fmt: skip
def test_judging_has_an_end(schema):
    with pytest.raises(Misuse, match="come back to themselves"):
        Validator(schema, "t")


def test_a_schema_may_refer_to_itself_one_level_down():
    validator = Validator({"properties": {"a": {"$ref": "#"}}, "minProperties": 1}, "t")
    assert [one.path for one in validator.violations({"a": {"a": {}}})] == ["a.a"]


@pytest.mark.parametrize("schema", [True, False, None, [], "{}", {"const": float("inf")}, {1: 2}])
def test_a_schema_is_an_object_of_plain_values(schema):
    with pytest.raises(Misuse, match="not an object of plain JSON values"):
        Validator(schema, "t")


@pytest.mark.parametrize(
    ("value", "of", "expected"),
    [
        (9007199254740993, 3, True),
        (9007199254740993, 2, False),
        (10**400, 2, True),
        (10**400, 0.5, True),
        (10**400 + 1, 10, False),
        (0.3, 0.1, True),
        (1.1, 0.1, True),
        (0.07, 0.01, True),
        (0.075, 0.01, False),
        (1e308, 0.123456789, False),
        (4.5, 1.5, True),
        (-6, 4, False),
        (0, 7, True),
        (5e-324, 1, False),
    ],
)
def test_multiples_are_those_of_the_written_decimals(value, of, expected):
    assert judged({"multipleOf": of}, value) is expected


def test_surrogates_are_told_apart():
    assert judged({"enum": ["\ufffd"]}, "\ud800") is False
    assert judged({"const": "\ud800"}, "\ud800") is True
    assert judged({"pattern": "^\ufffd$"}, "\ud800") is False
    assert judged({"pattern": "^.$"}, "\ud800") is True
    assert judged({"uniqueItems": True}, ["\ud800", "\ud801"]) is True
    assert judged({"maxProperties": 1}, dict.fromkeys(["\ud800", "\ud801"])) is False
    assert judged({"required": ["\ufffd"]}, {"\ud800": 1}) is False


def test_other_drafts_are_read_as_2020_12():
    draft = "http://json-schema.org/draft-07/schema#"
    schema = {"$schema": draft, "$defs": {"s": {"type": "string"}}, "$ref": "#/$defs/s"}
    assert judged({**schema, "maxLength": 1}, "xx") is False
    with pytest.raises(Misuse, match="items"):
        Validator({"$schema": draft, "items": [{"type": "string"}]}, "t")


def test_alternatives_that_come_back_judge_no_value_twice() -> None:
    def form(name: str) -> dict[str, Any]:
        return {"properties": {"n": {"$ref": "#/$defs/n"}}, "required": [name]}

    for keyword in ("anyOf", "oneOf", "allOf"):
        schema = {"$ref": "#/$defs/n", "$defs": {"n": {keyword: [form("a"), form("b")]}}}
        value: Any = {}
        for _ in range(50):
            value = {"n": value}
        validator = Validator(schema, "t")
        assert not validator.accepts(value)
        assert validator.violations(value)


def test_large_numbers_with_one_hash_are_told_apart_in_time() -> None:
    validator = Validator({"properties": {"a": {"uniqueItems": True}}}, "t")
    numbers = [i * (2**61 - 1) for i in range(1, 20_000)]
    assert validator.accepts({"a": numbers})
    assert not validator.accepts({"a": [*numbers, float(2**70), 2**70]})


def test_the_deepest_arguments_are_judged_from_wherever_the_call_comes():
    """As deep as clause 7.1 allows, by a schema that tries several ways at each level."""
    node = {
        "anyOf": [
            {"type": "null"},
            {"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}}, "required": ["n"]},
        ]
    }
    schema = {"type": "object", "properties": {"a": {"$ref": "#/$defs/n"}}, "$defs": {"n": node}}
    validator = Validator(schema, "t")
    value: Any = None
    for _ in range(127):
        value = {"n": value}

    def from_below(frames):
        return from_below(frames - 1) if frames else validator.accepts({"a": value})

    before = sys.getrecursionlimit()
    assert [from_below(frames) for frames in (0, 300, 600)] == [True] * 3
    assert sys.getrecursionlimit() == before
    innermost = value
    while innermost["n"]:
        innermost = innermost["n"]
    innermost["n"] = 1
    assert [one.rule for one in validator.violations({"a": value})] == ["anyOf"]
