# SPDX-License-Identifier: Apache-2.0
"""The request of a call (clause 10.2), in the short way and the long one."""

from __future__ import annotations

import json
from enum import Enum
from typing import Any

import pytest

from isonomy.contract.envelope import BridgeCall, CallForm, decode_call, encode_call
from isonomy.contract.portable import PortableError, encode, encode_plain


def test_a_bare_call_is_the_same_call() -> None:
    form = CallForm('a "tool" é')
    for size, strict in [(1000, False), (1000, True), (2000, True), (1000, False)]:
        call = BridgeCall('a "tool" é', {"n": 1}, max_result_bytes=size, strict_values=strict)
        assert form.bare(b'{"n":1}', size, strict) == encode_call(call)
        assert decode_call(form.bare(b'{"n":1}', size, strict)) == call


def test_all_that_a_call_has() -> None:
    call = BridgeCall("t", {"a": b"x"}, {"tenant": b"y"}, "c1", 2, 1500, 1000, strict_values=True)
    assert json.loads(encode_call(call)) == {
        "v": 1,
        "tool": "t",
        "arguments": {"a": {"$iso:bytes": "eA=="}},
        "injected": {"tenant": {"$iso:bytes": "eQ=="}},
        "call_id": "c1",
        "attempt": 2,
        "remaining_ms": 1500,
        "max_result_bytes": 1000,
        "strict_values": True,
    }
    assert decode_call(encode_call(call)) == call
    arguments = encode(call.arguments)
    assert CallForm("t").encode(call, arguments) == encode_call(call)


class Color(Enum):
    RED = "red"


@pytest.mark.parametrize(
    "value", [None, 1, 1.5, "é", True, [], {}, {"a": [1, (2, "x")]}, {"$": 1}, "$iso:date"]
)
def test_plain_values_are_written(value: Any) -> None:
    plain = encode_plain(value)
    assert plain is None or plain == encode(value)
    assert plain is not None or "$iso:" in str(value)


@pytest.mark.parametrize(
    "value",
    [
        Color.RED,
        b"x",
        float("nan"),
        2**64,
        "\ud800",
        {1: 2},
        {"$iso:date": 1},
        [Color.RED],
        {"a": {"b": float("inf")}},
        object(),
    ],
)
def test_other_values_are_not(value: Any) -> None:
    assert encode_plain(value) is None


def test_absent_fields_of_a_call_have_defaults() -> None:
    assert decode_call(b'{"v":1,"tool":"t","arguments":{}}') == BridgeCall("t", {})


@pytest.mark.parametrize(
    "field",
    [
        '"attempt":0',
        '"attempt":null',
        '"attempt":1.0',
        '"max_result_bytes":0',
        '"max_result_bytes":null',
        '"remaining_ms":-1',
        '"strict_values":null',
        '"injected":null',
    ],
)
def test_what_no_host_sends_is_refused(field: str) -> None:
    with pytest.raises(PortableError) as refused:
        decode_call(f'{{"v":1,"tool":"t","arguments":{{}},{field}}}')
    assert refused.value.kind == "malformed"
