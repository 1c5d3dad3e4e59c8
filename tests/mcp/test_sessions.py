# SPDX-License-Identifier: Apache-2.0
"""How sessions begin and go on, with and without one, and what time they take (14.19 to 14.22)."""

from __future__ import annotations

import time
from typing import Any

import pytest

from isonomy.mcp import McpUnavailable
from isonomy.observe.memory import MemorySink
from isonomy.runtime.executor import ToolExecutor
from tests.mcp.conftest import Scripted, Start
from tests.mcp.test_calls import BOTH, failed, until

STATELESS = {"SCRIPTED_START": "stateless"}
META = "io.modelcontextprotocol/"
UNREADABLE = "the reply is malformed: it is no JSON object"


def headers_of(scripted: Scripted, method: str) -> list[dict[str, Any]]:
    notes = [note for note in scripted.notes("headers") if note["message"].get("method") == method]
    return [note["headers"] for note in notes]


# 2026-07-28 -------------------------------------------------------------------------------------


@BOTH
def test_a_server_without_sessions(start: Start, by: str) -> None:
    scripted = start(by, env=STATELESS)
    assert scripted.call("echo", a=1).unwrap() == {"a": 1}
    error = scripted.call("is_error").error
    assert (str(error.kind), error.message) == ("tool_error", "boom")
    for method in ("server/discover", "tools/list", "tools/call", "subscriptions/listen"):
        for message in scripted.sent(method):
            meta = message["params"]["_meta"]
            assert meta[f"{META}protocolVersion"] == "2026-07-28"
            assert meta[f"{META}clientInfo"]["name"] == "isonomy"
            assert meta[f"{META}clientCapabilities"] == {}
    assert scripted.sent("notifications/initialized") == []


def test_the_headers_of_a_server_without_sessions(start: Start) -> None:
    scripted = start("http", env=STATELESS)
    assert scripted.call("marked", region="eu", deep={"n": 5}, bad=0.5).unwrap() == "marked"
    assert scripted.call("marked", region=" é").unwrap() == "marked"
    first, second = headers_of(scripted, "tools/call")
    assert first["mcp-protocol-version"] == "2026-07-28"
    assert (first["mcp-method"], first["mcp-name"]) == ("tools/call", "marked")
    assert (first["mcp-param-region"], first["mcp-param-n"]) == ("eu", "5")
    assert "mcp-param-bad" not in first
    assert second["mcp-param-region"] == "=?base64?IMOp?="
    assert "mcp-param-n" not in second
    assert "mcp-session-id" not in first
    (listed,) = headers_of(scripted, "tools/list")
    assert (listed["mcp-method"], "mcp-name" in listed) == ("tools/list", False)


@BOTH
def test_no_marks_are_told_by_other_revisions(start: Start, by: str) -> None:
    scripted = start(by)
    assert scripted.call("marked", region="eu").unwrap() == "marked"
    (sent,) = scripted.sent("tools/call")
    assert sent["params"]["_meta"].keys() == {"progressToken"}
    if by == "http":
        (headers,) = headers_of(scripted, "tools/call")
        assert not [each for each in headers if each.startswith(("mcp-param", "mcp-name"))]


@BOTH
def test_changes_are_told_where_they_were_asked_for(start: Start, by: str) -> None:
    scripted = start(by, env=STATELESS)
    (asked,) = scripted.sent("subscriptions/listen")
    assert asked["params"]["notifications"] == {"toolsListChanged": True}
    assert scripted.call("change").unwrap() == "changed"
    until(lambda: failed_kind(scripted.call("vanishes")) == "not_found")
    assert len(scripted.sent("tools/list")) == 2
    assert failed(scripted.call("echo", a=1))[0] == "invalid_arguments"


def failed_kind(response: Any) -> str | None:
    return None if response.error is None else str(response.error.kind)


def test_a_subscription_that_breaks_is_asked_for_again(start: Start) -> None:
    scripted = start("http", env=STATELESS)
    assert scripted.call("telling_breaks").unwrap() == "telling_breaks"
    until(lambda: len(scripted.sent("subscriptions/listen")) == 2)
    until(lambda: scripted.call("text").is_success and len(scripted.sent("tools/list")) == 2)


def test_a_subscription_that_ends_is_not_asked_for_again(start: Start) -> None:
    scripted = start("http", env=STATELESS)
    assert scripted.call("telling_ends").unwrap() == "telling_ends"
    time.sleep(1.5)  # more than the pause after one that breaks
    assert scripted.call("text").unwrap() == "hello"
    assert len(scripted.sent("subscriptions/listen")) == 1


def test_closing_its_stream_cancels_a_call(start: Start) -> None:  # 14.10
    scripted = start("http", env=STATELESS)
    assert failed(scripted.call("never", deadline=0.3))[0] == "timeout"
    (closed,) = until(lambda: scripted.notes("closed"))
    assert closed["closed"]["params"]["name"] == "never"
    assert scripted.call("text").unwrap() == "hello"
    assert scripted.sent("notifications/cancelled") == []


def test_a_notice_cancels_a_call_over_streams(start: Start) -> None:  # 14.10
    scripted = start(env=STATELESS)
    assert failed(scripted.call("never", deadline=0.3))[0] == "timeout"
    (notice,) = until(lambda: scripted.sent("notifications/cancelled"))
    (call,) = scripted.sent("tools/call", "never")
    assert notice["params"]["requestId"] == call["id"]


@BOTH
def test_progress_without_a_session(start: Start, by: str) -> None:
    memory = MemorySink()
    with ToolExecutor(start(by, env=STATELESS).server, sinks=[memory]) as executor:
        assert executor.call("progress").unwrap() == "done"
    steps = [each.progress for each in memory.executions if each.progress is not None]
    assert [each.progress for each in steps] == [1, 2, 3]


@BOTH
@pytest.mark.parametrize("how", ["newer", "refuses"])
def test_a_server_that_refuses_to_begin(start: Start, by: str, how: str) -> None:
    with pytest.raises(McpUnavailable) as unavailable:
        start(by, env={"SCRIPTED_START": how})
    said = "it does not answer initialize as it should: initialize is not known here"
    assert str(unavailable.value) == f'the MCP server "scripted" cannot be reached: {said}'


def test_a_status_404_without_a_session_says_what_it_says(start: Start) -> None:
    scripted = start("http", env=STATELESS)
    assert failed(scripted.call("json_error_404"))[:3] == ("protocol", "gone", "possible")
    assert failed(scripted.call("status_404"))[3] == {"status": 404}
    assert len(scripted.sent("tools/call", "json_error_404")) == 1


# Time -------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("how", [{"SCRIPTED_START": "drip"}, {"SCRIPTED_LIST": "endless"}])
def test_one_time_for_all_that_begins(start: Start, by: str, how: dict[str, str]) -> None:
    """Neither a slow drip nor page after page prolongs it."""
    began = time.monotonic()
    with pytest.raises(McpUnavailable, match=r"it did not answer \S+ in 1 seconds"):
        start(by, env=how, start_timeout=1)
    assert time.monotonic() - began < 8


@BOTH
def test_what_drips_prolongs_no_deadline(start: Start, by: str) -> None:
    scripted = start(by)
    began = time.monotonic()
    assert failed(scripted.call("trickle", seconds=3, deadline=0.4))[0] == "timeout"
    assert time.monotonic() - began < 2
    assert scripted.call("text").unwrap() == "hello"
    assert len(scripted.sent("initialize")) == 1


# Broken replies ---------------------------------------------------------------------------------

BROKEN = [
    '{"jsonrpc":"2.0","id":7,"result":{"content":[}}',
    '{"jsonrpc":"2.0","id":7,"result":{"n":1e400}}',
    '{"jsonrpc":"2.0","id":7,"result":{"content":[]}} and more',
    '{"jsonrpc":"2.0","id":7,"result":{"n":%s}}' % ("9" * 4_301),
    '{"jsonrpc":"2.0","id":7,"result":%s}' % ("[" * 128 + "]" * 128),
    '{"jsonrpc":"2.0","id":7,"result":%s}' % ("[" * 100_000),
    '{"jsonrpc":"2.0","result":{"content":[,]},"id":7}',
]


@BOTH
@pytest.mark.parametrize("reply", BROKEN, ids=range(len(BROKEN)))
def test_a_broken_reply_ends_its_call(start: Start, by: str, reply: str) -> None:
    scripted = start(by)
    response = scripted.call("raw", reply=reply, deadline=10)
    assert failed(response) == ("protocol", UNREADABLE, "possible", None)
    assert scripted.call("text").unwrap() == "hello"
    assert len(scripted.sent("initialize")) == 1


@pytest.mark.parametrize("body", ["<html>", "[]", "null", " ", '[{"jsonrpc":"2.0","id":7}]'])
def test_a_body_that_is_no_object(start: Start, body: str) -> None:
    response = start("http").call("raw", reply=body, deadline=10)
    assert failed(response) == ("protocol", UNREADABLE, "possible", None)


def test_a_body_without_an_id_is_the_reply(start: Start) -> None:
    scripted = start("http")
    assert scripted.call("raw", reply='{"id":null,"result":{"content":[]}}').unwrap() is None
    error = scripted.call("raw", reply='{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}').error
    assert (str(error.kind), error.message, error.code) == ("protocol", "m", "1")


@pytest.mark.parametrize(
    "body",
    [
        '{"jsonrpc":"2.0","id":999999,"result":{"content":[]}}',
        '{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"x"}}',
    ],
)
def test_a_body_that_is_another_message(start: Start, body: str) -> None:
    scripted = start("http")
    said = 'the connection to the MCP server "scripted" broke'
    assert failed(scripted.call("raw", reply=body, deadline=10))[:2] == ("connection_lost", said)


def test_a_body_without_a_byte(start: Start) -> None:
    said = 'the connection to the MCP server "scripted" broke'
    assert failed(start("http").call("empty")) == ("connection_lost", said, "possible", None)


@BOTH
@pytest.mark.parametrize("depth", [126, 127])
def test_how_deep_a_reply_may_be(start: Start, by: str, depth: int) -> None:
    """128 containers, of which the reply itself and its result are two."""
    nested = "[" * depth + "]" * depth
    reply = f'{{"jsonrpc":"2.0","id":7,"result":{{"structuredContent":{nested}}}}}'
    assert start(by).call("raw", reply=reply, deadline=10).is_success is (depth <= 126)


@BOTH
def test_ids_that_are_no_numbers_of_ours(start: Start, by: str) -> None:
    """They end nothing, and break nothing that reads."""
    scripted = start(by)
    for odd in ('"²"', '"%s"' % ("9" * 5_000), "1e3", "true", "[]", "-1", "0.5", '""'):
        reply = f'{{"jsonrpc":"2.0","id":{odd},"result":{{}}}}'
        assert scripted.call("raw", reply=reply, deadline=0.2).error is not None
    assert scripted.call("text").unwrap() == "hello"


# Sessions that are over -------------------------------------------------------------------------


def test_only_a_status_of_4xx_says_that_a_session_may_be_over(start: Start) -> None:
    scripted = start("http")
    for tool in ("status_500", "status_302", "cut", "empty", "sse_end"):
        assert failed(scripted.call(tool))[0] == "connection_lost"
    assert len(scripted.sent("initialize")) == 1
    assert failed(scripted.call("status_403"))[3] == {"status": 403}
    assert scripted.call("text").unwrap() == "hello"
    assert len(scripted.sent("initialize")) == 2


def test_a_session_that_is_over_by_another_status(start: Start) -> None:
    """What the server says is told as it is; the next call begins a new session."""
    scripted = start("http")
    said = failed(scripted.call("forgotten"))
    assert said == ("protocol", "no valid session", "possible", {"code": -32000})
    assert len(scripted.sent("tools/call", "forgotten")) == 1
    assert scripted.call("text").unwrap() == "hello"
    assert len(scripted.sent("initialize")) == 2
