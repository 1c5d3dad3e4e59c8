# SPDX-License-Identifier: Apache-2.0
"""From an outcome to a response: the mapping, the limits and the way over a bridge."""

import dataclasses
from typing import Any

import pytest

from isonomy.contract.capture import raised, returned
from isonomy.contract.content import Block
from isonomy.contract.envelope import (
    BridgeCall,
    decode_call,
    decode_outcome,
    encode_call,
    encode_outcome,
)
from isonomy.contract.error import Cause, Effect, ErrorInfo, ErrorKind, ToolError
from isonomy.contract.events import Progress
from isonomy.contract.jsontext import parse, write
from isonomy.contract.limits import checked
from isonomy.contract.mapping import settled, to_response
from isonomy.contract.misuse import Misuse
from isonomy.contract.outcome import Outcome, Raised, Returned, Settled
from isonomy.contract.portable import Opaque, PortableError
from isonomy.contract.response import ToolFailed, ToolFailure, ToolResponse, ToolSuccess


class Lock:
    """Has no portable form."""


# The mapping


def test_a_returned_exception_of_ours_is_the_failure_it_holds() -> None:
    failed = ToolFailed("returned, not raised", code="NO")
    assert to_response(Returned(failed)) == failed.response
    assert returned(failed) == Returned(failed.response)


@pytest.mark.parametrize(
    "value",
    [
        None,
        "",
        0,
        False,
        {"error": "boom", "isError": True},
        {"status": "failure", "error": {"kind": "internal"}},
        {"v": 1, "outcome": "raised"},
        {"$iso:opaque": {"type": "E", "path": "$"}},
        "Traceback (most recent call last)\nERROR: failed",
        ValueError("returned, not raised"),
        ToolError(ErrorKind.INTERNAL, "returned, not raised"),
        Raised(ErrorInfo("E", "m")),
        [ToolResponse.error("nested")],
        [ToolFailed("nested")],
    ],
    ids=repr,
)
def test_every_other_value_is_a_success_with_that_value(value: Any) -> None:
    response = to_response(Returned(value))
    assert isinstance(response, ToolSuccess)
    assert response.result is value
    assert response.content == ()


def test_a_response_that_was_returned_is_that_response() -> None:
    for response in (ToolResponse.success(1, ["t"], {"a": 1}), ToolResponse.error("no", code="X")):
        assert to_response(Returned(response)) is response


def test_an_exception_is_a_failure_of_its_own_kind() -> None:
    response = to_response(raised(SystemExit(2)))
    assert response.error is not None
    assert response.error.kind is ErrorKind.EXCEPTION
    assert response.error.effect is Effect.POSSIBLE
    assert response.error.type == "SystemExit"
    assert response.error.retryable is None
    assert response.error.details is None


def test_an_inner_failure_handed_on_keeps_what_it_was() -> None:
    inner = ToolError(
        ErrorKind.TIMEOUT,
        "too late",
        Effect.NONE,
        "java",
        type="x.E",
        code="C",
        retryable=True,
        retry_after_ms=5,
        details={"at": (1, 2)},
        causes=(Cause("y.E", "m", "java"),),
        trace="private",
    )
    response = to_response(Returned(ToolFailure(inner, (Block.text("t"),), {"m": 1})))
    assert isinstance(response, ToolFailure)
    assert response.error == dataclasses.replace(
        inner,
        kind=ErrorKind.TOOL_ERROR,
        effect=Effect.POSSIBLE,
        details={
            "inner": {
                "kind": "timeout",
                "message": "too late",
                "effect": "none",
                "language": "java",
                "type": "x.E",
                "code": "C",
                "retryable": True,
                "retry_after_ms": 5,
                "details": {"at": (1, 2)},
                "causes": [{"type": "y.E", "message": "m", "language": "java"}],
            }
        },
    )
    assert response.content == (Block.text("t"),)
    assert response.meta == {"m": 1}
    assert to_response(Returned(response)) is response


def test_what_a_runtime_settled_stays_as_it_is() -> None:
    outcome = settled(ErrorKind.NOT_FOUND, 'no tool named "x"', Effect.NONE, details=[1])
    response = to_response(outcome)
    assert isinstance(response, ToolFailure)
    assert response.error is outcome.error
    assert response.error.effect is Effect.NONE


# The limits


def refused(outcome: Outcome) -> ToolError:
    assert isinstance(outcome, Settled), outcome
    assert outcome.error.effect is Effect.POSSIBLE
    return outcome.error


@pytest.mark.parametrize("wrap", [lambda value: value, ToolSuccess])
def test_a_result_within_the_limits_is_itself(wrap: Any) -> None:
    for value in ({"a": [1, Lock()]}, None, "x" * 98, 1.5):
        outcome = Returned(wrap(value))
        assert checked(outcome, max_bytes=200) is outcome


@pytest.mark.parametrize("wrap", [lambda value: value, ToolSuccess])
def test_a_result_beyond_the_limits_is_settled(wrap: Any) -> None:
    error = refused(checked(Returned(wrap("x" * 99)), max_bytes=100))
    assert error.kind is ErrorKind.TOO_LARGE
    assert error.message == "the result takes more than 100 bytes"
    error = refused(checked(Returned(wrap({"a": [Lock()]})), strict=True))
    assert error.kind is ErrorKind.RESULT_CONVERSION
    name = f"{__name__}.Lock"
    assert error.message == f"$.a[0]: a value of type {name} has no portable form"
    error = refused(checked(Returned(wrap([10**4300]))))
    assert error.kind is ErrorKind.TOO_LARGE
    assert error.message == "$[0]: an integer of more than 4300 digits"


def test_strict_concerns_the_result_only() -> None:
    outcome = Returned(ToolResponse.success(1, meta={"lock": Lock()}))
    assert checked(outcome, strict=True) is outcome
    outcome = Returned(ToolResponse.error("no", details={"lock": Lock()}))
    assert checked(outcome, strict=True) is outcome
    error = refused(checked(Returned(ToolResponse.success(1, meta={"n": 10**4300}))))
    assert error.kind is ErrorKind.TOO_LARGE


def test_a_failure_is_never_replaced_but_loses_what_is_too_large() -> None:
    failure = ToolResponse.error(
        "big", code="BIG", retryable=True, details=["x" * 99], content=["t"], meta={"a": 1}
    )
    kept = checked(Returned(failure), max_bytes=100)
    assert isinstance(kept, Returned)
    assert kept.value == ToolResponse.error(
        "big", code="BIG", retryable=True, details={"omitted": "too_large"}
    )
    outcome = Returned(failure)
    assert checked(outcome, max_bytes=400) is outcome
    digits = ToolResponse.error("big", details=10**4300)
    assert checked(outcome := Returned(digits)) is outcome
    assert digits.to_wire()["error"]["details"] == {"$iso:opaque": {"type": "int", "path": "$"}}
    long = Returned(ToolResponse.error("m" * 8_000))
    assert checked(long, max_bytes=100) is long


@pytest.mark.parametrize(
    "outcome",
    [Raised(ErrorInfo("E", "m" * 999)), Settled(ToolError(ErrorKind.INTERNAL, "m" * 999))],
)
def test_other_outcomes_have_no_result_to_check(outcome: Outcome) -> None:
    assert checked(outcome, max_bytes=1, strict=True) is outcome


def test_what_was_settled_becomes_a_failure_with_its_content_and_meta() -> None:
    error = ToolError(ErrorKind.TIMEOUT, "late")
    outcome = Settled(error, ["half"], {"at": 1})  # type: ignore[arg-type]  # made blocks inside
    assert to_response(outcome) == ToolFailure(error, (Block.text("half"),), {"at": 1})
    assert to_response(Settled(error)) == ToolFailure(error)
    assert hash(outcome) == hash(Settled(error, (Block.text("half"),), {"at": 1}))
    with pytest.raises(Misuse):
        Settled(error, (), {1: 2})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    "outcome",
    [
        Settled(ToolError(ErrorKind.TIMEOUT, "late", details="x" * 500)),
        Settled(ToolError(ErrorKind.TIMEOUT, "late"), (Block.text("x" * 500),)),
        Settled(ToolError(ErrorKind.TIMEOUT, "late"), (), {"a": "x" * 500}),
    ],
)
def test_the_limit_holds_for_what_was_settled(outcome: Settled) -> None:
    bare = Settled(ToolError(ErrorKind.TIMEOUT, "late", details={"omitted": "too_large"}))
    assert checked(outcome, max_bytes=400) == bare
    assert decode_outcome(encode_outcome(outcome, max_bytes=400)).outcome == bare
    assert checked(outcome, max_bytes=4_000) is outcome
    assert decode_outcome(encode_outcome(outcome, max_bytes=4_000)).outcome == outcome


# Over a bridge


OUTCOMES = [
    Returned(None),
    Returned({"v": 1, "outcome": "raised", "$iso:x": {"$iso:bytes": "aGk="}}),
    Returned({"$iso:x": 1}),
    Returned([b"hi", {1: 2}, 2**64, "a\ud800"]),
    Returned(ToolResponse.success({"$iso:x": b"hi"}, ["t"], {"$iso:y": {1}})),
    Returned(ToolResponse.success(None)),
    Returned(ToolResponse.error("no", code=5, details={"$iso:x": 1}, content=["t"], meta={"a": 1})),
    Raised(
        ErrorInfo(
            "E",
            "m" * 9_000,
            (Cause("F", "n", "java"),),
            "trace" * 20_000,
            "rust",
            (Cause("G", "o"),),
            3,
        )
    ),
    Raised(ErrorInfo("E\ud800", "m\ud800", (Cause("F\ud800", "\ud800"),), "t\ud800")),
    Settled(ToolError(ErrorKind.INVALID_ARGUMENTS, "a: required", Effect.NONE, details=[1.0])),
    Settled(
        ToolError(ErrorKind.TIMEOUT, "late"),
        (Block.text("half"), Block("odd", {"$iso:bytes": "aGk="})),
        {"$iso:bytes": "aGk=", "at": b"hi", "error": 1},
    ),
    Settled(ToolError(ErrorKind.INTERNAL, "\ud800", type="\ud800", code="\ud800", trace="\ud800")),
]


@pytest.mark.parametrize("outcome", OUTCOMES, ids=lambda outcome: repr(outcome)[:40])
def test_an_outcome_comes_back_whole(outcome: Outcome) -> None:
    steps = (Progress(1, 2, "half"), Progress(0.5))
    envelope = decode_outcome(encode_outcome(outcome, decoded=["a.b"], progress=steps))
    assert envelope.outcome == outcome
    assert envelope.decoded == ("a.b",)
    assert envelope.progress == steps
    bare = encode_outcome(outcome)
    assert parse(bare).keys() <= {"v", "outcome", "value", "response", "error", "content", "meta"}
    assert decode_outcome(bare).outcome == outcome


def test_the_limits_hold_over_a_bridge() -> None:
    def over(value: Any, **limits: Any) -> ToolError:
        return refused(decode_outcome(encode_outcome(Returned(value), **limits)).outcome)

    for value in ("x" * 99, ToolSuccess("x" * 99)):
        assert over(value, max_bytes=100).message == "the result takes more than 100 bytes"
    for odd in ([Lock()], ToolSuccess([Lock()])):
        assert over(odd, strict=True).kind is ErrorKind.RESULT_CONVERSION
    outcome = decode_outcome(encode_outcome(Returned([Lock()]))).outcome
    assert outcome == Returned([Opaque(f"{__name__}.Lock", "$[0]")])
    failure = ToolResponse.error("big", details="x" * 99)
    outcome = decode_outcome(encode_outcome(Returned(failure), max_bytes=100)).outcome
    assert outcome == Returned(ToolResponse.error("big", details={"omitted": "too_large"}))


def test_messages_and_traces_are_cut_far_beyond_what_the_host_keeps() -> None:
    info = ErrorInfo("E", "m", trace="s" + "t" * 300_000)
    outcome = decode_outcome(encode_outcome(Raised(info))).outcome
    assert outcome == Raised(dataclasses.replace(info, trace="t" * 262_144))
    java = dataclasses.replace(info, language="java")
    outcome = decode_outcome(encode_outcome(Raised(java))).outcome
    assert outcome == Raised(dataclasses.replace(java, trace="s" + "t" * 262_143))


@pytest.mark.parametrize(
    "beside",
    [
        '"decoded":"a"',
        '"decoded":[1]',
        '"progress":{}',
        '"progress":[1]',
        '"progress":[{"progress":"half"}]',
        '"progress":[{"progress":true}]',
        '"error":null',
        '"response":null',
    ],
)
def test_what_is_malformed_beside_an_outcome_is_internal(beside: str) -> None:
    error = refused(decode_outcome(f'{{"v":1,"outcome":"returned","value":1,{beside}}}').outcome)
    assert error.kind is ErrorKind.INTERNAL
    assert error.message.startswith("malformed envelope: ")


def test_fields_that_this_version_does_not_know_are_ignored() -> None:
    envelope = decode_outcome('{"v":1,"outcome":"returned","value":1,"odd":{"value":2}}')
    assert envelope.outcome == Returned(1)


CALL = BridgeCall(
    "prices",
    {"sku": "a1", "$iso:x": {"$iso:bytes": "aGk="}, "day": 2**64},
    {"tenant": "t1", "key": b"hi"},
    "c1",
    2,
    1500,
    1000,
    True,
)


def test_a_call_comes_back_whole() -> None:
    for call in (CALL, BridgeCall("prices", {}), BridgeCall('a"b', {"$iso:x": 1})):
        assert decode_call(encode_call(call)) == call
    assert parse(encode_call(BridgeCall("prices", {"a": 1}))) == {
        "v": 1,
        "tool": "prices",
        "arguments": {"a": 1},
        "call_id": None,
        "attempt": 1,
        "max_result_bytes": 16 * 1024 * 1024,
        "strict_values": False,
    }
    assert "hi" not in repr(CALL)
    assert decode_call('{"v":1,"tool":"t","arguments":{}}') == BridgeCall("t", {})


@pytest.mark.parametrize(
    "change",
    [
        {"v": 2},
        {"v": True},
        {"tool": None},
        {"arguments": []},
        {"arguments": None},
        {"arguments": {"$iso:bytes": "aGk="}},
        {"injected": []},
        {"call_id": 1},
        {"attempt": "1"},
        {"remaining_ms": 1.5},
        {"max_result_bytes": None},
        {"strict_values": 1},
    ],
)
def test_a_malformed_call_is_refused(change: dict[str, Any]) -> None:
    tree = parse(encode_call(CALL)) | change
    with pytest.raises(PortableError) as malformed:
        decode_call(write(tree))
    assert malformed.value.kind == "malformed"
