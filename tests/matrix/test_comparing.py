# SPDX-License-Identifier: Apache-2.0
"""The comparison sees every difference that a response can have."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from isonomy.matrix.comparing import differences

FAILURE: dict[str, Any] = {
    "status": "failure",
    "error": {
        "kind": "exception",
        "message": "m",
        "effect": "possible",
        "language": "java",
        "type": "E",
        "details": {"n": 1, "x": [1, 2.0]},
        "trace": "at ...",
    },
    "content": [{"type": "text", "text": "t"}],
    "meta": {"a": None},
}
EXPECTED: dict[str, Any] = {
    "status": "failure",
    "error": {
        "kind": "exception",
        "message": "m",
        "effect": "possible",
        "language": {"python": "python", "java": "java"},
        "type": {"python": "F", "java": "E"},
        "details": {"n": 1, "x": [1, 2.0]},
    },
    "content": [{"type": "text", "text": "t"}],
    "meta": {"a": None},
}


def test_the_expected_response_has_no_difference() -> None:
    assert differences(FAILURE, EXPECTED, "java") == []


def test_what_is_expected_depends_on_the_language() -> None:
    assert differences(FAILURE, EXPECTED, "python") == [
        "response.error.language is 'java', not 'python'",
        "response.error.type is 'E', not 'F'",
    ]


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("status",), "success", "response.status is 'success', not 'failure'"),
        (("error", "message"), "n", "response.error.message is 'n', not 'm'"),
        (("error", "code"), "X", "response.error.code is not expected"),
        (("error", "details", "n"), 1.0, "response.error.details.n is 1.0, not 1"),
        (("error", "details", "n"), True, "response.error.details.n is True, not 1"),
        (("error", "details", "x"), [1], "response.error.details.x is [1], not [1, 2.0]"),
        (("error", "details", "x"), [1, 2], "response.error.details.x[1] is 2, not 2.0"),
        (("error", "trace"), None, "response.error.trace is missing"),
        (("content",), [], "response.content is [], not [{'type': 'text', 'text': 't'}]"),
        (("meta", "b"), 1, "response.meta.b is not expected"),
        (("result",), 1, "response.result is not expected"),
    ],
)
def test_every_other_response_is_told(path: tuple[str, ...], value: Any, said: str) -> None:
    response = copy.deepcopy(FAILURE)
    part = response
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = value
    assert differences(response, EXPECTED, "java") == [said]


def test_a_missing_field_is_told() -> None:
    error = {name: value for name, value in FAILURE["error"].items() if name != "type"}
    response = {"status": "failure", "error": error}
    assert differences(response, EXPECTED, "java") == [
        "response.content is [], not [{'type': 'text', 'text': 't'}]",
        "response.error.type is missing",
        "response.meta.a is missing",
    ]


def test_empty_content_and_meta_are_the_same_as_none() -> None:
    expected = {"status": "success", "result": None}
    extras: dict[str, Any] = {"content": [], "meta": {}}
    assert differences({**expected, **extras}, expected, "java") == []
    assert differences(expected, {**expected, **extras}, "java") == []
