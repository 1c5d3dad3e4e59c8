# SPDX-License-Identifier: Apache-2.0
"""Violations as data and as one message (clauses 7.7 to 7.9)."""

import pytest

from isonomy.tools.violations import Violation, message_of, path_of, refusal


def test_a_rule_counts_once_at_a_path_and_the_order_is_by_path_then_rule():
    outcome = refusal(
        [
            Violation("b", "type", "expected string"),
            Violation("a", "minLength", "short"),
            Violation("a", "enum", "x"),
            Violation("b", "type", "expected string"),
        ]
    )
    assert outcome.error.message == "a: x; a: short; b: expected string"
    assert "more" not in outcome.error.details


def test_sixteen_are_listed_and_the_rest_counted():
    outcome = refusal(Violation(f"p{at:02}", "required", "required") for at in range(20))
    listed = outcome.error.details["violations"]
    assert [one["path"] for one in listed] == [f"p{at:02}" for at in range(16)]
    assert outcome.error.details["more"] == 4
    assert outcome.error.message.endswith("p15: required")


@pytest.mark.parametrize(
    ("steps", "path"),
    [
        ([], "arguments"),
        (["a", "b", 0], "a.b[0]"),
        (["0"], '["0"]'),
        ([""], '[""]'),
        (["x y", "_a1"], '["x y"]._a1'),
        (['a"b'], '["a\\"b"]'),
        (["é"], '["é"]'),
        (["a", 3, 2], "a[3][2]"),
        (["\ud800"], '["\ufffd"]'),
    ],
)
def test_paths(steps, path):
    assert path_of(steps) == path


def test_a_rule_without_words_of_its_own():
    assert message_of("not", None) == "breaks the rule not"
    assert message_of("multipleOf", 0.5) == "must be a multiple of 0.5"
    assert message_of("maximum", 10**30) == f"must be <= {10**30}"
