# SPDX-License-Identifier: Apache-2.0
"""JSON Schema judges arguments, and violations name their exact place (clauses 7.3 to 7.10)."""

import operator
from fractions import Fraction

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


@given(numbers, numbers, st.sampled_from(sorted(COMPARISONS)))
def test_limits_compare_numbers_exactly(limit, value, keyword):
    expected = COMPARISONS[keyword](Fraction(value), Fraction(limit))
    assert Validator({keyword: limit}, "t").is_valid(value) is expected


@given(numbers, numbers)
def test_const_and_unique_compare_numbers_exactly(one, other):
    equal = Fraction(one) == Fraction(other)
    assert Validator({"const": one}, "t").is_valid(other) is equal
    assert Validator({"uniqueItems": True}, "t").is_valid([one, other]) is not equal


@given(numbers)
def test_an_integer_is_a_number_without_fraction(value):
    assert Validator({"type": "integer"}, "t").is_valid(value) is (Fraction(value).denominator == 1)


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
        (False, {}, [("arguments", "false")]),
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


def test_a_schema_may_refer_to_itself_without_end():
    assert Validator({"$ref": "#"}, "t").is_valid({"a": 1})
