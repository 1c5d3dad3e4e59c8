# SPDX-License-Identifier: Apache-2.0
import hashlib
import io
import json

import pytest

from isonomy.cli.reading import BadLine, ReadFailed, Request, RequestReader
from isonomy.contract.call import ToolCall

OURS = {"event": "tool_request", "id": "r1", "calls": [{"tool": "add", "arguments": {"a": 1}}]}


TEXT = {"type": "text", "text": "I shall add them."}
USE = {"type": "tool_use", "id": "t1", "name": "add", "input": {"a": 1}}
BROKEN = "the line is not JSON: malformed JSON:"
NOT_READ = (
    'are a form that is not read; write {"event": "tool_request", "id": ..., "calls": [...]},'
    ' or a message with "tool_calls"'
)


def read(*lines: object, longest: int = 10_000) -> list[Request | BadLine]:
    texts = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    return list(RequestReader(io.BytesIO(b"\n".join(texts)), longest))


def problem(line: object) -> str:
    (bad,) = read(line)
    assert isinstance(bad, BadLine)
    assert bad.line == 1
    return bad.problem


def message(*functions: object) -> dict[str, object]:
    calls = [
        {"id": f"c{at}", "type": "function", "function": function}
        for at, function in enumerate(functions)
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def test_own_form() -> None:
    calls = [
        {"call_id": "c", "tool": "add", "arguments": {"a": 1, "b": None}},
        {"call_id": None, "tool": "add", "arguments": '{"a": 1}'},
        {"tool": "add", "arguments": None},
        {"tool": "add"},
    ]
    (request,) = read({"event": "tool_request", "id": "r1", "calls": calls})
    assert request == Request(
        1,
        "r1",
        [
            ToolCall("add", {"a": 1, "b": None}, "c"),
            ToolCall("add", '{"a": 1}'),
            ToolCall("add"),
            ToolCall("add"),
        ],
    )


def test_message_form() -> None:
    (request,) = read(
        message({"name": "add", "arguments": '{"a": 1'}, {"name": "now", "arguments": ""})
    )
    assert isinstance(request, Request)
    assert request.calls == [ToolCall("add", '{"a": 1', "c0"), ToolCall("now", "", "c1")]


def test_no_calls_are_a_request_too() -> None:
    (request,) = read({"event": "tool_request", "id": "", "calls": []})
    assert request == Request(1, "", [])


def test_lines_are_counted_and_blank_ones_skipped() -> None:
    found = read(b"\xef\xbb\xbf", OURS, b"  \t", b"", b"oops", json.dumps(OURS).encode() + b"\r")
    assert [(type(one), one.line) for one in found] == [(Request, 2), (BadLine, 5), (Request, 6)]


def test_byte_order_mark_before_a_request() -> None:
    (request,) = read(b"\xef\xbb\xbf" + json.dumps(OURS).encode())
    assert isinstance(request, Request)


def test_nothing_is_nothing() -> None:
    assert read(b"") == []
    assert read(b"\xef\xbb\xbf") == []


def test_line_separators_of_unicode_do_not_end_a_line() -> None:
    text = '{"event":"tool_request","calls":[{"tool":"a\u2028b\u0085c"}]}'.encode()
    (request,) = read(text)
    assert isinstance(request, Request)
    assert request.calls[0].tool == "a\u2028b\u0085c"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"{", f"{BROKEN} Expecting property name enclosed in double quotes at column 2; write "),
        (
            b'{"event": "tool_request",, "calls": []}\n',
            f"{BROKEN} Expecting property name enclosed in double quotes at column 26; write one ",
        ),
        (
            b'{"event": "tool_request"\n',
            f"{BROKEN} Expecting ',' delimiter at column 25; write one request a line",
        ),
        (b'{"event": NaN}', "the line is not JSON: "),
        (b'{"event":"a","event":"b"}', "the line is not JSON: "),
        (b"\xff\xfe{}", "the line is not JSON: "),
        (b"[" * 600 + b"]" * 600, "the line is not JSON: "),
        ([OURS["calls"]], "a bare list of calls is no request; write {"),
        ([], "a bare list of calls is no request; write {"),
        ("add", "a request is an object; write {"),
        (None, "a request is an object; write {"),
        ({}, '"event" is missing; write {'),
        ({"role": "assistant", "content": [TEXT, USE]}, f'"tool_use" blocks {NOT_READ}'),
        (USE, f'"tool_use" blocks {NOT_READ}'),
        ({"type": "message", "role": "assistant", "content": [USE]}, '"tool_use" bloc'),
        ({"type": "function_call", "name": "add"}, f'"function_call" blocks {NOT_READ}'),
        ({"output": [TEXT, {"type": "function_call"}]}, f'"function_call" blocks {NOT_READ}'),
        (
            {"role": "assistant", "content": None, "function_call": {"name": "add"}},
            f'"function_call" values {NOT_READ}',
        ),
        (
            {"role": "model", "parts": [{"functionCall": {"name": "add"}}]},
            f'"functionCall" values {NOT_READ}',
        ),
        ({"jsonrpc": "2.0", "method": "tools/call"}, f"JSON-RPC requests {NOT_READ}"),
        (
            {"role": "assistant", "content": [TEXT], "function_call": None},
            'the message has no "tool_calls"; leave out',
        ),
        ({"calls": []}, '"event" is missing; write {'),
        ({"tool": "add"}, "a single call is no request; write {"),
        ({"choices": []}, "this is a whole completion; write the message inside it on the line"),
        ({"role": "assistant", "content": "hi"}, 'the message has no "tool_calls"; leave out'),
        ({"role": "user", "content": "hi"}, 'a message without "tool_calls" holds no calls; leave'),
        ({"role": "tool", "tool_call_id": "c"}, 'a message without "tool_calls" holds no calls; '),
        ({"event": "tool_response"}, '"event" must be "tool_request"; no other event can be run'),
        ({"event": "tool_request"}, '"calls" must be a list of calls'),
        ({"event": "tool_request", "calls": {}}, '"calls" must be a list of calls'),
        (OURS | {"id": 7}, "id must be a string or null"),
        (OURS | {"cals": []}, 'cals is no known key; did you mean "calls"?'),
        (OURS | {"calls": ["add"]}, 'calls[0] must be an object with "tool" and "arguments"'),
        (OURS | {"calls": [{}]}, "calls[0].tool is missing; name the tool to call"),
        (OURS | {"calls": [{"tool": 1}]}, "calls[0].tool must be a string"),
        (
            OURS | {"calls": [{"tool": "a", "args": {}}]},
            'calls[0].args is no known key; did you mean "arguments"?',
        ),
        (
            OURS | {"calls": [{"tool": "a"}, {"tool": "a", "arguments": [1]}]},
            "calls[1].arguments must be an object, or JSON text of one",
        ),
        (OURS | {"id": "\ud800"}, "id has half of a surrogate pair; send whole characters"),
        (OURS | {"calls": [{"tool": "\udc00"}]}, "calls[0].tool has half of a surrogate pair;"),
        (
            OURS | {"calls": [{"tool": "a", "call_id": 1}]},
            "calls[0].call_id must be a string or null",
        ),
        ({"tool_calls": None}, '"tool_calls" must be a list of calls'),
        ({"tool_calls": [{}]}, 'tool_calls[0] must have a "function" with "name" and "argum'),
        ({"tool_calls": ["a"]}, 'tool_calls[0] must have a "function" with "name" and "argum'),
        (message({}), "tool_calls[0].function.name is missing; name the tool to call"),
        (
            message({"name": "a", "arguments": 3}),
            "tool_calls[0].function.arguments must be an object, or JSON text of one",
        ),
    ],
)
def test_bad_lines_say_what_to_do(line, said) -> None:
    assert problem(line).startswith(said)


def test_long_line_is_bad_and_the_next_is_good() -> None:
    long = b" " * 500 + json.dumps(OURS).encode()
    found = read(long, OURS, longest=200)
    assert [type(one) for one in found] == [BadLine, Request]
    assert found[0] == BadLine(1, "the line is longer than 200 bytes; split the request")
    assert found[1].line == 2


def test_a_very_long_line_is_skipped_in_pieces(monkeypatch) -> None:
    monkeypatch.setattr("isonomy.cli.reading.SKIPPED_AT_ONCE", 64)
    for length in (201, 202, 264, 265, 266, 1000):
        found = read(b"x" * length, OURS, longest=200)
        assert [type(one) for one in found] == [BadLine, Request], length


def test_what_cannot_be_read_on_is_told() -> None:
    class Broken(io.BytesIO):
        def readline(self, size: int | None = -1, /) -> bytes:
            raise OSError(5, "Input/output error")

    with pytest.raises(ReadFailed, match="Input/output error"):
        next(iter(RequestReader(Broken())))


@pytest.mark.parametrize("ending", [b"", b"\n"])
def test_longest_line_is_good(ending: bytes) -> None:
    text = json.dumps(OURS).encode()
    reader = RequestReader(io.BytesIO(text + ending), len(text) + len(ending))
    assert [type(one) for one in reader] == [Request]


def test_a_line_is_taken_when_its_turn_comes() -> None:
    taken = []

    class Lines(io.BytesIO):
        def readline(self, size: int | None = -1, /) -> bytes:
            taken.append(size)
            return super().readline(size)

    requests = iter(RequestReader(Lines(b"\n".join([json.dumps(OURS).encode()] * 3)), 10_000))
    next(requests)
    assert taken == [10_001]


def test_an_id_is_made_from_the_event_and_its_occurrence() -> None:
    def made(occurrence: int) -> str:
        # Clause 6.1: keys in order, strings with their length, integers in decimal.
        text = b"[{s5:calls[]s5:events12:tool_request}i%d;]" % occurrence
        return hashlib.sha256(text).hexdigest()

    found = read(
        {"event": "tool_request", "calls": []},
        {"event": "tool_request", "id": "mine", "calls": []},
        b' { "calls": [],  "event": "tool_request" } ',
        {"event": "tool_request", "id": None, "calls": []},
        {"event": "tool_request", "calls": []},
    )
    ids = [request.id for request in found if isinstance(request, Request)]
    assert ids[:3] == [made(1), "mine", made(2)]
    assert ids[4] == made(3)
    assert len(set(ids)) == 5
