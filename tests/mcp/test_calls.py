# SPDX-License-Identifier: Apache-2.0
"""Calls of scripted servers over both transports (clause 14)."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from isonomy.contract.call import ToolCall
from isonomy.contract.error import Effect, ErrorKind
from isonomy.observe.memory import MemorySink
from isonomy.observe.metrics import Metrics
from isonomy.runtime.executor import ToolExecutor
from tests.mcp.conftest import Start

BOTH = pytest.mark.parametrize("by", ["stdio", "http"])


def failed(response: Any) -> tuple[str, str, str, Any]:
    error = response.error
    assert error is not None, response
    return str(error.kind), error.message, str(error.effect), error.details


def until(happened: Callable[[], Any], limit: float = 20) -> Any:
    """Wait until something holds, looking at what the server wrote down."""
    last = time.monotonic() + limit
    while not (holds := happened()):
        assert time.monotonic() < last
        time.sleep(0.01)
    return holds


@BOTH
def test_a_call(start: Start, by: str) -> None:
    response = start(by).call("echo", a=1, b=[None, "é"])
    assert response.unwrap() == {"a": 1, "b": [None, "é"]}
    assert [block.type for block in response.content] == ["text"]


@BOTH
def test_an_error_of_the_tool(start: Start, by: str) -> None:
    response = start(by).call("is_error")
    assert failed(response) == ("tool_error", "boom", "possible", {"code": "RATE"})
    assert response.error.language == "mcp"


@BOTH
def test_an_error_of_the_protocol(start: Start, by: str) -> None:
    scripted = start(by)
    details = {"code": -32602, "data": {"field": "id"}}
    assert failed(scripted.call("rpc_error")) == ("protocol", "bad id", "possible", details)
    assert scripted.call("text").unwrap() == "hello"


@BOTH
def test_arguments_are_judged_here(start: Start, by: str) -> None:
    scripted = start(by)
    response = scripted.executor.call("echo", "[1]")
    assert failed(response)[:3] == ("invalid_arguments", "arguments: expected object", "none")
    assert scripted.sent("tools/call") == []


@BOTH
def test_a_tool_that_is_not_listed_is_not_asked_for(start: Start, by: str) -> None:
    scripted = start(by)
    assert failed(scripted.call("nope"))[:3] == ("not_found", 'no tool named "nope"', "none")
    assert scripted.sent("tools/call") == []


@BOTH
def test_a_listed_tool_that_the_server_does_not_know(start: Start, by: str) -> None:
    assert failed(start(by).call("unlisted"))[:2] == ("protocol", "Unknown tool: unlisted")


@BOTH
def test_what_only_a_lenient_reader_takes(start: Start, by: str) -> None:
    numbers = start(by).call("not_numbers").unwrap()
    assert numbers["b"] == 12345678901234567890
    assert numbers["a"] != numbers["a"]
    assert numbers["c"] == float("-inf")


@BOTH
def test_a_reply_that_cannot_be_read_has_an_end(start: Start, by: str) -> None:
    scripted = start(by)
    said = "the reply is malformed: it is no JSON object"
    assert failed(scripted.call("broken_reply"))[:2] == ("protocol", said)
    assert scripted.call("text").unwrap() == "hello"


@BOTH
def test_input_required(start: Start, by: str) -> None:
    error = start(by).call("input_required").error
    assert (error.kind, error.code) == (ErrorKind.PROTOCOL, "input_required")


@BOTH
def test_a_number_that_comes_back_as_text(start: Start, by: str) -> None:
    assert start(by).call("text_id").unwrap() == "ok"


def test_lines_that_are_no_messages(start: Start) -> None:
    scripted = start(env={"SCRIPTED_START": "garbage"})
    assert scripted.call("garbage").unwrap() == "after garbage"
    assert scripted.call("text").unwrap() == "hello"


def test_requests_of_the_server_are_answered(start: Start) -> None:
    scripted = start()
    assert scripted.call("asks").unwrap() == "asked"
    assert scripted.call("text").unwrap() == "hello"


@pytest.mark.parametrize("tool", ["die", "orphan"])
def test_a_server_that_is_killed(start: Start, tool: str) -> None:
    """The call has its end, the next one a new server, and nothing is sent twice (C1, C4)."""
    scripted = start()
    began = time.monotonic()
    details = {"signal": "SIGKILL"}
    said = 'the MCP server "scripted" ended (signal SIGKILL)'
    assert failed(scripted.call(tool)) == ("connection_lost", said, "possible", details)
    assert time.monotonic() - began < 2
    assert scripted.call("text").unwrap() == "hello"
    assert len(scripted.sent("tools/call", tool)) == 1


def test_calls_beside_the_end_of_a_server(start: Start) -> None:
    """Each is lost with the server, or has a new one; none is told that there is none."""
    scripted = start()
    with ThreadPoolExecutor(8) as threads:
        for _ in range(10):
            last = threads.submit(scripted.call, "exit")
            others = [threads.submit(scripted.call, "text") for _ in range(7)]
            assert last.result(timeout=10).error.effect is Effect.POSSIBLE
            for each in others:
                error = each.result(timeout=10).error
                assert error is None or error.effect is Effect.POSSIBLE


def test_a_server_that_exits(start: Start) -> None:
    scripted = start()
    said = 'the MCP server "scripted" ended (exit code 3)'
    assert failed(scripted.call("exit")) == ("connection_lost", said, "possible", {"exit_code": 3})


def test_a_server_that_closes_its_output(start: Start) -> None:
    scripted = start()
    said = 'the MCP server "scripted" ended (the connection broke)'
    assert failed(scripted.call("close_output")) == ("connection_lost", said, "possible", None)
    assert scripted.call("text").unwrap() == "hello"


def test_a_server_that_is_killed_by_http(start: Start) -> None:
    scripted = start("http")
    said = 'the connection to the MCP server "scripted" broke'
    assert failed(scripted.call("die")) == ("connection_lost", said, "possible", None)
    scripted.process.wait()
    kind, message, effect, _ = failed(scripted.call("text"))
    assert (kind, effect) == ("connection_lost", "none")
    assert message.startswith('the MCP server "scripted" cannot be reached: ')


def test_all_calls_of_a_server_that_is_killed_end(start: Start) -> None:
    scripted = start()
    with ThreadPoolExecutor(8) as threads:
        waiting = [threads.submit(scripted.call, "never") for _ in range(8)]
        until(lambda: len(scripted.sent("tools/call", "never")) == 8)
        assert failed(scripted.call("die"))[0] == "connection_lost"
        assert {failed(each.result(timeout=5))[0] for each in waiting} == {"connection_lost"}


@BOTH
def test_fifty_calls_get_their_own_replies(start: Start, by: str) -> None:
    """In any order, some twice, some for nobody (C2)."""
    scripted = start(by)
    calls = [ToolCall("together", {"i": i, "of": 50}) for i in range(50)]
    if by == "http":  # where each reply comes on its own request
        calls = [ToolCall("slow", {"seconds": 0.2}) for _ in range(50)]
    began = time.monotonic()
    event = scripted.executor.run(calls, parallel=50, deadline=30)
    results = [record.response.unwrap() for record in event.records]
    assert results == ([str(i) for i in range(50)] if by == "stdio" else ["late"] * 50)
    assert time.monotonic() - began < 10
    assert len(scripted.sent("initialize")) == 1


@BOTH
def test_a_deadline_sends_one_notice(start: Start, by: str) -> None:
    """A late reply is dropped, and the session lives (14.10)."""
    scripted = start(by)
    assert failed(scripted.call("slow", seconds=0.6, deadline=0.2))[0] == "timeout"
    notices = until(lambda: scripted.sent("notifications/cancelled"))
    (call,) = scripted.sent("tools/call", "slow")
    assert [notice["params"]["requestId"] for notice in notices] == [call["id"]]
    time.sleep(0.6)  # the late reply comes meanwhile
    assert scripted.call("text").unwrap() == "hello"
    assert len(scripted.sent("notifications/cancelled")) == 1
    assert len(scripted.sent("initialize")) == 1


@BOTH
async def test_cancelling_a_call_leaves_the_server_alone(start: Start, by: str) -> None:  # C10
    scripted = start(by)
    call = asyncio.ensure_future(scripted.executor.acall("slow", {"seconds": 30}))
    await asyncio.to_thread(until, lambda: scripted.sent("tools/call", "slow"))
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert (await scripted.executor.acall("text")).unwrap() == "hello"
    assert len(scripted.sent("initialize")) == 1


@BOTH
def test_a_deadline_beside_the_reply(start: Start, by: str) -> None:  # C11
    """Whichever comes first, a call has one end, and the session lives."""
    scripted = start(by)
    kinds = set()
    for turn in range(60):
        response = scripted.call("slow", seconds=0.02, deadline=0.0205 + turn % 20 / 4_000)
        kinds.add(None if response.is_success else str(response.error.kind))
    assert kinds <= {None, "timeout", "not_run"}  # the last where the machine is busy (3.12)
    assert scripted.call("text").unwrap() == "hello"
    assert len(scripted.sent("initialize")) == 1


@BOTH
@pytest.mark.parametrize("tool", ["size", "size_id_last"])
def test_replies_up_to_the_cap(start: Start, by: str, tool: str) -> None:  # C7
    scripted = start(by, max_reply=2_000_000)
    for size in (65_535, 65_537, 1_000_000):
        assert len(scripted.call(tool, bytes=size).unwrap()) == size
    said = "the reply takes more than 2000000 bytes"
    assert failed(scripted.call(tool, bytes=3_000_000))[:3] == ("too_large", said, "possible")
    assert scripted.call("text").unwrap() == "hello"
    assert len(scripted.sent("initialize")) == 1


def test_the_list_is_kept_current(start: Start) -> None:
    scripted = start()
    assert scripted.call("change").unwrap() == "changed"
    said = 'no tool named "vanishes"'
    assert failed(scripted.call("vanishes"))[:3] == ("not_found", said, "none")
    assert scripted.sent("tools/call", "vanishes") == []
    assert failed(scripted.call("echo", a=1))[0] == "invalid_arguments"
    assert scripted.call("echo").unwrap() == {}


@BOTH
def test_progress_and_log(start: Start, by: str, caplog: pytest.LogCaptureFixture) -> None:
    memory = MemorySink()
    with ToolExecutor(start(by).server, sinks=[memory]) as executor:
        assert executor.call("progress").unwrap() == "done"
    steps = [each.progress for each in memory.executions if each.progress is not None]
    assert [(each.progress, each.total, each.message) for each in steps] == [
        (1, 3, "step 1"), (2, 3, "step 2"), (3, 3, "step 3"),
    ]  # fmt: skip
    assert "disk" in caplog.text


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        ("status_401", ("connection_lost", "answered with status 401", {"status": 401})),
        ("status_403", ("connection_lost", "answered with status 403", {"status": 403})),
        ("status_500", ("connection_lost", "answered with status 500", {"status": 500})),
        ("status_302", ("connection_lost", "answered with status 302", {"status": 302})),
        ("json_error_400", ("protocol", "bad id", {"code": -32602, "data": {"a": 1}})),
        ("html", ("protocol", "malformed: it is no JSON object", None)),
        ("accepted", ("connection_lost", "broke", None)),
        ("cut", ("connection_lost", "broke", None)),
        ("sse_end", ("connection_lost", "broke", None)),
        ("sse_cut", ("connection_lost", "broke", None)),
    ],
)
def test_what_http_brings(start: Start, tool: str, expected: tuple[str, str, Any]) -> None:  # C5
    scripted = start("http")
    began = time.monotonic()
    kind, message, effect, details = failed(scripted.call(tool))
    assert (kind, effect, details) == (expected[0], "possible", expected[2])
    assert expected[1] in message
    assert time.monotonic() - began < 2
    assert scripted.call("text").unwrap() == "hello"
    assert len(scripted.sent("tools/call", tool)) == 1


def test_events_before_the_reply(start: Start) -> None:
    assert start("http").call("sse").unwrap() == "sse"


def test_a_session_that_is_over_is_begun_again_once(start: Start) -> None:  # 14.12
    scripted = start("http")
    assert scripted.call("expired").unwrap() == "expired"
    assert len(scripted.sent("initialize")) == 2
    assert len(scripted.sent("tools/call", "expired")) == 2


def test_a_reply_that_drips_ends_with_the_deadline(start: Start) -> None:
    scripted = start("http")
    assert failed(scripted.call("drip", deadline=0.5))[0] == "timeout"
    assert scripted.call("text").unwrap() == "hello"


@BOTH
def test_closing_ends_what_waits(start: Start, by: str) -> None:
    scripted = start(by)
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(scripted.call, "slow", seconds=30)
        until(lambda: scripted.sent("tools/call", "slow"))
        began = time.monotonic()
        scripted.server.close()
        assert failed(waiting.result(timeout=10))[0] == "connection_lost"
        assert time.monotonic() - began < 6
    error = scripted.call("text").error
    assert (error.kind, error.effect) == (ErrorKind.CONNECTION_LOST, Effect.NONE)
    assert not [each for each in threading.enumerate() if each.name == "isonomy-mcp-http"]


def test_a_server_that_goes_on_is_killed(start: Start) -> None:  # H7
    """Its answer was there at once; closing has a limit of its own."""
    scripted = start(env={"SCRIPTED_START": "deaf"})
    began = time.monotonic()
    assert scripted.call("text").unwrap() == "hello"
    assert time.monotonic() - began < 1
    scripted.server.close()
    assert time.monotonic() - began < 8
    assert not Path(f"/proc/{scripted.pid()}").exists()


@BOTH
def test_failures_of_a_server_are_counted(start: Start, by: str) -> None:  # K2
    metrics = Metrics()
    with ToolExecutor(start(by).server, sinks=[metrics]) as executor:
        for tool in ["text"] * 5 + ["is_error"] * 4 + ["rpc_error"]:
            executor.call(tool)
    told = metrics.snapshot()
    assert (told.count(status="success"), told.count(status="failure")) == (5, 5)
    assert [told.count(tool) for tool in ("is_error", "rpc_error")] == [4, 1]


@BOTH
def test_what_is_read_back_goes_the_way_of_every_failure(start: Start, by: str) -> None:  # 14.28
    """Its content and meta stay, its secrets do not (clause 12)."""
    error = {
        "kind": "denied",
        "message": "password=hunter2 is no password",
        "effect": "none",
        "language": "java",
    }
    result = {
        "content": [{"type": "text", "text": "x"}, {"type": "text", "text": "token=hunter2"}],
        "isError": True,
        "_meta": {
            "dev.isonomy/error": error,
            "dev.isonomy/response": {"added": 1, "meta": {"at": {"$iso:bytes": "aGk="}}},
        },
    }
    reply = json.dumps({"jsonrpc": "2.0", "id": 7, "result": result}, separators=(",", ":"))
    response = start(by).call("raw", reply=reply)
    said = "password=[redacted] is no password"
    assert failed(response) == ("denied", said, "none", None)
    assert response.error.language == "java"
    assert response.meta == {"at": b"hi"}
    assert [block.to_wire() for block in response.content] == [
        {"type": "text", "text": "token=[redacted]"}
    ]


@pytest.mark.parametrize(
    "kind",
    ["invalid_arguments", "not_found", "not_run", "timeout", "too_large", "result_conversion"],
)
def test_the_words_of_another_host_are_not_ours(start: Start, kind: str) -> None:  # 12.6
    """Of these kinds what this host says itself holds no values; what a server says may."""
    error = {
        "kind": kind,
        "message": "password=hunter2",
        "effect": "none",
        "language": "python",
        "details": {"token": "hunter2", "at": "postgres://u:hunter2@h"},
        "causes": [{"type": "E", "message": "pwd: hunter2", "language": "java"}],
        "trace": "Authorization: Bearer hunter2",
    }
    result = {"content": [], "isError": True, "_meta": {"dev.isonomy/error": error}}
    reply = json.dumps({"jsonrpc": "2.0", "id": 7, "result": result}, separators=(",", ":"))
    response = start().call("raw", reply=reply)
    details = {"token": "[redacted]", "at": "postgres://[redacted]@h"}
    assert failed(response) == (kind, "password=[redacted]", "none", details)
    assert "hunter2" not in json.dumps(response.to_wire())
