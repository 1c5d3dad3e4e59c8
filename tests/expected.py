# SPDX-License-Identifier: Apache-2.0
"""Compares what came out with what a vector expects (spec/vectors/README.md)."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import Any, NamedTuple

from isonomy.contract.error import Cause, ErrorInfo, ToolError
from isonomy.contract.portable import encode
from isonomy.contract.response import ToolFailure, ToolResponse, ToolSuccess
from tests.making import make, named


class Side(NamedTuple):
    """The language of the tool, in which its errors speak, and how that language names fixtures."""

    language: str
    named: Callable[[Any], Any]


PYTHON = Side("python", named)

_UNSET: dict[str, Any] = {"causes": (), "members": (), "more": 0}


def normal(text: str | bytes) -> Any:
    """Read JSON so that equal means equal by clause 5.4; by Python's own reader, not by ours."""
    return _normal(json.loads(text))


def _normal(tree: Any) -> Any:
    if isinstance(tree, dict):
        return ("object", {key: _normal(item) for key, item in tree.items()})
    if isinstance(tree, list):
        return ("list", [_normal(item) for item in tree])
    if isinstance(tree, float):
        return ("float", struct.pack(">d", tree))
    return (type(tree).__name__, tree)


def same(value: Any, tree: Any, side: Side = PYTHON) -> None:
    """Check that a value is encoded as this JSON tree."""
    assert normal(encode(value)) == _normal(side.named(tree))


def check_response(response: ToolResponse, expected: dict[str, Any], side: Side = PYTHON) -> None:
    """Check a response against an *expected response*; every field of it is looked at."""
    rest = dict(expected)
    status = rest.pop("status")
    if status == "success":
        assert isinstance(response, ToolSuccess), response
        if "result_text" in rest:
            assert normal(encode(response.result)) == normal(side.named(rest.pop("result_text")))
        else:
            same(response.result, rest.pop("result"), side)
    else:
        assert isinstance(response, ToolFailure), response
        check_error(response.error, rest.pop("error"), side)
    assert [block.to_wire() for block in response.content] == rest.pop("content", [])
    same(dict(response.meta), rest.pop("meta", {}), side)
    assert not rest, rest


def check_error(
    error: ToolError | ErrorInfo, expected: dict[str, Any], side: Side = PYTHON
) -> None:
    """Check the fields of an error that are named."""
    for name, wanted in expected.items():
        if name == "trace_has":
            for text in meant(wanted, side):
                assert text in (error.trace or "")
        elif name == "trace_length":
            assert len(error.trace or "") == meant(wanted, side)
        elif name in ("causes", "members"):
            check_causes(getattr(error, name), wanted or [], side)
        elif name == "details":
            same(getattr(error, name), _deep(wanted, side), side)
        elif wanted is None:
            assert getattr(error, name) == _UNSET.get(name), name
        else:
            assert getattr(error, name) == meant(wanted, side), name


def check_causes(
    causes: tuple[Cause, ...], expected: list[dict[str, Any]], side: Side = PYTHON
) -> None:
    """Check causes or members whole."""
    wanted = [{key: meant(item, side) for key, item in cause.items()} for cause in expected]
    assert [cause.to_wire() for cause in causes] == wanted


def meant(expected: Any, side: Side = PYTHON) -> Any:
    """Give what is expected of a side, with fixtures named and values made."""
    expected = _of(expected, side)
    if isinstance(expected, dict) and "make" in expected:
        expected = make(expected)
    return side.named(expected)


def _of(expected: Any, side: Side) -> Any:
    if isinstance(expected, dict) and side.language in expected:
        assert expected.keys() <= {"python", "java"}, expected
        return expected[side.language]
    return expected


def _deep(expected: Any, side: Side) -> Any:
    expected = _of(expected, side)
    if isinstance(expected, dict):
        return {key: _deep(item, side) for key, item in expected.items()}
    return [_deep(item, side) for item in expected] if isinstance(expected, list) else expected
