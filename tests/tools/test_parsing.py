# SPDX-License-Identifier: Apache-2.0
"""JSON text is read strictly and exactly (clause 7.1)."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isonomy.tools.parsing import BrokenText, parse_text

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=-(10**40), max_value=10**40)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
trees = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def same(left: object, right: object) -> bool:
    """Compare values with their types and the bits of their floats."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


@given(trees, st.booleans())
def test_reads_what_was_written(tree, escaped):
    text = json.dumps(tree, ensure_ascii=escaped)
    assert same(parse_text(text), tree)
    if escaped:
        assert same(parse_text(text.encode()), tree)


@given(st.text(alphabet='{}[]":,\\ 0123456789eE+-.truefalsn"a', max_size=30))
def test_accepts_what_json_accepts_and_nothing_else(text):
    def pairs(items):
        assert len({key for key, _ in items}) == len(items), "twice"
        return dict(items)

    def constant(name):
        raise ValueError(name)

    try:
        tree = json.loads(text, object_pairs_hook=pairs, parse_constant=constant)
        finite = all(math.isfinite(one) for one in floats_of(tree))
    except (ValueError, AssertionError):
        finite = False
        tree = None
    if finite:
        assert same(parse_text(text), tree)
    else:
        with pytest.raises(BrokenText):
            parse_text(text)


def floats_of(tree):
    if isinstance(tree, float):
        yield tree
    elif isinstance(tree, (list, dict)):
        for item in tree.values() if isinstance(tree, dict) else tree:
            yield from floats_of(item)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("9007199254740993", 9007199254740993),
        ("18446744073709551615", 2**64 - 1),
        ("18446744073709551616", 2**64),
        ("-9223372036854775809", -(2**63) - 1),
        ("1e30", 1e30),
        ("-0", 0),
        ("-0.0", -0.0),
        ("1.0", 1.0),
        ('"\\ud800"', "\ud800"),
        ('"\\ud83d\\ude00"', "\U0001f600"),
        ('\ufeff{"a":":"}', {"a": ":"}),
        ('{"a":{"a":1}}', {"a": {"a": 1}}),
    ],
)
def test_values(text, value):
    read = parse_text(text)
    assert type(read) is type(value)
    assert repr(read) == repr(value)


@pytest.mark.parametrize(
    ("text", "path", "rule"),
    [
        ('{"a":1,"a":1}', "a", "duplicate"),
        ('{"o":[{"x y":1,"z":2,"x y":3}]}', 'o[0]["x y"]', "duplicate"),
        ('{"a":1,"\\u0061":":"}', "a", "duplicate"),
        ('{"first":{"k":1,"k":2},"b":1,"b":2}', "first.k", "duplicate"),
        ("1e400", "arguments", "json"),
        ('{"a":-1e400}', "arguments", "json"),
        ("9" * 4301, "arguments", "json"),
        ("[" * 129 + "]" * 129, "arguments", "depth"),
        ('{"a":' * 100_000, "arguments", "depth"),
        ("[" * 2000, "arguments", "depth"),
        (b'"\xff"', "arguments", "json"),
        ("", "arguments", "json"),
        ("NaN", "arguments", "json"),
        ('{"a":1}x', "arguments", "json"),
        ('"a\nb"', "arguments", "json"),
    ],
)
def test_refuses(text, path, rule):
    with pytest.raises(BrokenText) as caught:
        parse_text(text)
    assert (caught.value.violation.path, caught.value.violation.rule) == (path, rule)


def test_limits_are_exact():
    assert parse_text("9" * 4300) == 10**4300 - 1
    assert parse_text("-" + "9" * 4300) == -(10**4300) + 1
    deepest = parse_text("[" * 128 + "]" * 128)
    for _ in range(127):
        (deepest,) = deepest
    assert deepest == []
    brackets_in_text = json.dumps({"a": "[" * 500})
    assert parse_text(brackets_in_text) == {"a": "[" * 500}
