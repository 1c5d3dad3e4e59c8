# SPDX-License-Identifier: Apache-2.0
"""What is made of values that do not fit as they came (clauses 7.4 to 7.6)."""

import json
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy.tools.repair import integer_fix, repair
from isonomy.tools.shape import shape_of

NULLABLE = [
    ({"type": "null"}, True),
    ({"type": ["string", "null"]}, True),
    ({"type": "string"}, False),
    ({}, True),
    (True, True),
    (False, False),
    ({"enum": [None]}, True),
    ({"enum": ["a"]}, False),
    ({"const": None}, True),
    ({"const": 1}, False),
    ({"anyOf": [{"type": "string"}, {"type": "null"}]}, True),
    ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, False),
    ({"oneOf": [{"type": "null"}, {}]}, False),
    ({"allOf": [{}, {"type": "string"}]}, False),
    ({"not": {"type": "null"}}, False),
    ({"not": {"type": "string"}}, True),
    ({"$ref": "#/$defs/text"}, False),
    ({"if": {"type": "null"}, "then": False}, False),
    ({"if": {"type": "string"}, "else": {"type": "integer"}}, False),
    ({"if": {"type": "null"}}, True),
    ({"minimum": 3, "properties": {"a": False}, "pattern": "x"}, True),
]


@pytest.mark.parametrize(("part", "takes_null"), NULLABLE)
def test_null_counts_as_absent_exactly_where_the_schema_refuses_it(part, takes_null):
    schema = {
        "properties": {"a": part},
        "$defs": {"text": {"type": "string"}},
    }
    arguments = {"a": None}
    assert jsonschema_rs.validator_for(schema).is_valid(arguments) is takes_null
    repair(shape_of(schema), arguments)
    assert arguments == ({"a": None} if takes_null else {})


def test_required_nulls_stay_at_any_depth():
    inner = {"properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["a"]}
    schema = {"properties": {"l": {"items": {"$ref": "#/$defs/inner"}}}, "$defs": {"inner": inner}}
    arguments = {"l": [{"a": None, "b": None}, {"b": None}, None]}
    repair(shape_of(schema), arguments)
    assert arguments == {"l": [{"a": None}, {}, None]}


def test_branches_are_not_entered():
    inner = {"type": "object", "properties": {"a": {"type": "string"}}}
    schema = {"properties": {"o": {"anyOf": [inner, {"type": "null"}]}}}
    arguments = {"o": {"a": None}}
    repair(shape_of(schema), arguments)
    assert arguments == {"o": {"a": None}}


def test_decoding_follows_anchors_and_identifiers():
    schema = {
        "properties": {"a": {"$ref": "#here"}, "b": {"$ref": "https://example.org/o#/$defs/o"}},
        "$defs": {
            "x": {"$anchor": "here", "type": "array"},
            "y": {"$id": "https://example.org/o", "$defs": {"o": {"type": "object"}}},
        },
    }
    arguments = {"a": "[1]", "b": "{}", "c": "[]"}
    assert repair(shape_of(schema), arguments) == ["a", "b"]
    assert arguments == {"a": [1], "b": {}, "c": "[]"}


def test_recursive_schemas_decode_at_every_level():
    schema = {"properties": {"next": {"$ref": "#"}, "n": {"type": "integer"}}, "type": "object"}
    text = json.dumps({"next": json.dumps({"n": 1})})
    arguments: dict[str, Any] = {"next": text}
    assert repair(shape_of(schema), arguments) == ["next", "next.next"]
    assert arguments == {"next": {"next": {"n": 1}}}


def test_what_decoding_would_nest_too_deep_stays_text():
    schema = {"properties": {"a": {"type": "array"}}}
    fits, too_deep = "[" * 127 + "]" * 127, "[" * 128 + "]" * 128
    arguments = {"a": fits}
    assert repair(shape_of(schema), arguments) == ["a"]
    arguments = {"a": too_deep}
    assert repair(shape_of(schema), arguments) == []
    assert arguments == {"a": too_deep}


@pytest.mark.parametrize("text", ["null", "1", '"[]"', "", "[", '{"a":1,"a":2}', "1e400", "NaN"])
def test_texts_of_something_else_stay(text):
    schema = {"properties": {"a": {"type": ["array", "object", "null"]}}}
    arguments = {"a": text}
    assert repair(shape_of(schema), arguments) == []
    assert arguments == {"a": text}


parts = st.sampled_from(
    [
        {"type": "object"},
        {"type": ["array", "null"]},
        {"type": "string"},
        {"type": "integer"},
        {"enum": ["{}", None]},
        {"type": "object", "properties": {"a": {"type": "object"}}, "required": ["a"]},
        {},
    ]
)
values = st.recursive(
    st.none() | st.sampled_from(["{}", "[]", "x", 1, 1.5, True]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner),
    max_leaves=6,
)


@given(
    st.dictionaries(st.sampled_from("ab"), parts),
    st.lists(st.sampled_from("ab")),
    st.dictionaries(st.sampled_from("abc"), values),
)
def test_valid_arguments_have_nothing_to_repair(properties, required, arguments):
    """What lets the repair run only where validation failed."""
    schema = {"properties": properties, "required": sorted(set(required))}
    if jsonschema_rs.validator_for(schema).is_valid(arguments):
        before = json.dumps(arguments)
        assert repair(shape_of(schema), arguments) == []
        assert json.dumps(arguments) == before


def fixed(schema, arguments):
    fix = integer_fix(shape_of(schema))
    if fix is not None:
        fix(arguments)
    return json.dumps(arguments)


def test_floats_become_integers_where_the_type_is_integer():
    schema = {
        "properties": {
            "i": {"type": "integer"},
            "n": {"type": ["integer", "null"]},
            "f": {"type": "number"},
            "l": {"items": {"items": {"$ref": "#/$defs/i"}}},
            "o": {"properties": {"i": {"type": "integer"}, "x": {}}},
            "u": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
            "m": {"type": ["integer", "number"]},
            "e": {"enum": [1]},
        },
        "$defs": {"i": {"type": "integer"}},
    }
    arguments = {
        "i": 1e30,
        "n": -0.0,
        "f": 1.0,
        "l": [[1.0, 2], []],
        "o": {"i": 3.0, "x": 3.0},
        "u": 4.0,
        "m": 5.0,
        "e": 1.0,
    }
    assert fixed(schema, arguments) == json.dumps(
        {
            "i": int(1e30),
            "n": 0,
            "f": 1.0,
            "l": [[1, 2], []],
            "o": {"i": 3, "x": 3.0},
            "u": 4,
            "m": 5.0,
            "e": 1.0,
        }
    )


def test_schemas_without_integers_need_no_fix():
    assert integer_fix(shape_of({"properties": {"a": {"type": "number"}, "b": {}}})) is None
    loop: dict[str, Any] = {"properties": {"next": {"$ref": "#"}, "s": {"type": "string"}}}
    assert integer_fix(shape_of(loop)) is None


def test_recursive_integers_are_fixed():
    loop = {"properties": {"next": {"$ref": "#"}, "i": {"type": "integer"}}}
    assert fixed(loop, {"next": {"next": {"i": 1.0}}}) == '{"next": {"next": {"i": 1}}}'
