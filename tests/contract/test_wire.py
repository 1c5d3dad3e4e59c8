# SPDX-License-Identifier: Apache-2.0
"""The wire forms of responses, calls and requests."""

from typing import Any

import pytest

from isonomy.contract.call import ToolCall, ToolRequest
from isonomy.contract.error import Cause, ErrorKind, ToolError
from isonomy.contract.jsontext import parse, write
from isonomy.contract.portable import Opaque, PortableError
from isonomy.contract.response import ToolFailure, ToolResponse


def test_a_response_is_written_in_portable_form_and_read_again() -> None:
    success = ToolResponse.success({"raw": b"hi", "$iso:x": 1}, ["t"], {"$iso:y": 1.0})
    tree = success.to_wire()
    assert tree == {
        "status": "success",
        "result": {"raw": {"$iso:bytes": "aGk="}, "$iso:x": 1},
        "content": [{"type": "text", "text": "t"}],
        "meta": {"$iso:y": 1.0},
    }
    assert ToolResponse.from_wire(parse(write(tree))) == success
    assert ToolResponse.success(None).to_wire() == {"status": "success", "result": None}


def test_a_failure_is_written_with_its_texts_cut() -> None:
    error = ToolError(
        ErrorKind.EXCEPTION,
        "m" * 9_000,
        type="E",
        details={"lock": object()},
        causes=(Cause("F", "c"),),
        trace="t" * 70_000,
    )
    tree = ToolFailure(error).to_wire()
    assert list(tree) == ["status", "error"]
    assert tree["error"]["message"] == "m" * 8_191 + "…"
    assert len(tree["error"]["trace"]) == 65_536
    again = ToolResponse.from_wire(tree)
    assert isinstance(again, ToolFailure)
    assert again.error.details == {"lock": Opaque("object", "$.lock")}
    assert again.error.causes == error.causes


def test_an_integer_of_too_many_digits_is_refused() -> None:
    with pytest.raises(PortableError, match=r"\$\.a: an integer of more than 4300 digits"):
        ToolResponse.success({"a": 10**4300}).to_wire()


@pytest.mark.parametrize(
    "arguments", [None, "", '{"a": 1}', "{", {}, {"a": b"hi"}, {"$iso:x": 1}, {"$iso:map": []}]
)
def test_a_call_is_read_as_it_was_written(arguments: Any) -> None:
    call = ToolCall("search", arguments, "c1")
    tree = call.to_wire()
    assert list(tree) == ["call_id", "tool", "arguments"]
    assert ToolCall.from_wire(parse(write(tree))) == call
    request = ToolRequest((call, ToolCall("search"), call), "r1")
    assert ToolRequest.from_wire(parse(write(request.to_wire()))) == request
    assert request.to_wire()["event"] == "tool_request"


def test_names_and_ids_that_a_model_sent_can_always_be_written() -> None:
    call = ToolCall("a\ud800", '{"a": "\udfff"}', "c\ud800")
    assert parse(write(call.to_wire())) == {
        "call_id": "c\ufffd",
        "tool": "a\ufffd",
        "arguments": '{"a": "\ufffd"}',
    }


def test_absent_fields_of_a_call_are_null() -> None:
    assert ToolCall.from_wire({"tool": "a"}) == ToolCall("a")
    assert ToolRequest.from_wire({"event": "tool_request", "calls": []}) == ToolRequest(())


@pytest.mark.parametrize(
    "tree",
    [
        [],
        {"event": "tool_response", "calls": []},
        {"event": "tool_request"},
        {"event": "tool_request", "calls": {}},
        {"event": "tool_request", "calls": [], "id": 1},
        {"event": "tool_request", "calls": ["a"]},
        {"event": "tool_request", "calls": [{}]},
        {"event": "tool_request", "calls": [{"tool": 1}]},
        {"event": "tool_request", "calls": [{"tool": "a", "call_id": 1}]},
        {"event": "tool_request", "calls": [{"tool": "a", "arguments": []}]},
        {"event": "tool_request", "calls": [{"tool": "a", "arguments": {"$iso:bytes": "aGk="}}]},
    ],
)
def test_a_malformed_request_is_refused(tree: Any) -> None:
    with pytest.raises(PortableError) as malformed:
        ToolRequest.from_wire(tree)
    assert malformed.value.kind == "malformed"
