# SPDX-License-Identifier: Apache-2.0
"""Servers that mean harm end in a clear failure, in bounded time and memory, in both hosts.

Hosts are processes of their own whose most memory is measured. The heap of the one in Java is
bounded (see `running.HEAP`), so what needs more there fails by itself.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.mcp.hosts.fixtures import StartHost
from tests.mcp.hosts.running import Host, Unavailable

pytestmark = pytest.mark.slow
HOSTILE = str(Path(__file__).with_name("hostile.py"))
MIB = 1024 * 1024
CAP = 8 * MIB
MEMORY = 450 * MIB
"""Bytes of memory that a host may have at most, all told."""
SOON = 15.0
"""Seconds in which everything here ends on a machine that has other things to do as well."""
DEADLINE = 1.5


class ByHttp:
    """A hostile server by HTTP."""

    def __init__(self, how: str = "") -> None:
        self._process = subprocess.Popen(
            [sys.executable, HOSTILE, "http"],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"HOSTILE": how},
        )
        assert self._process.stdout is not None
        self.url = f"http://127.0.0.1:{int(self._process.stdout.readline())}/mcp"

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()


Reach = Callable[[str], dict[str, Any]]


@pytest.fixture(scope="module", params=["stdio", "http"])
def by(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def reach() -> Iterator[Callable[..., dict[str, Any]]]:
    """Give what starts a hostile server and says how it is reached."""
    started: list[ByHttp] = []

    def begin(by: str, how: str = "") -> dict[str, Any]:
        if by == "stdio":
            return {"command": [sys.executable, HOSTILE], "env": {"HOSTILE": how}}
        started.append(ByHttp(how))
        return {"url": started[-1].url}

    yield begin
    for each in started:
        each.kill()


@pytest.fixture(scope="module")
def shared(host_command: list[str], by: str, reach: Any) -> Iterator[Host]:
    """Give a host for calls after which the session goes on."""
    host = Host(host_command, {**reach(by), "max_reply": CAP, "start_timeout": 20})
    yield host
    host.close()


def failure(answer: dict[str, Any]) -> tuple[str, str]:
    """Give the kind and the message of a failure that came soon."""
    assert answer["seconds"] < SOON
    response = answer["response"]
    assert response["status"] == "failure", str(response)[:500]
    return response["error"]["kind"], response["error"]["message"]


def goes_on(host: Host) -> None:
    """Check that the host is well: of bounded memory, and the next call is answered."""
    assert host.result("echo") == "here"
    assert host.most_memory() < MEMORY


# Replies ------------------------------------------------------------------------------------------

MALFORMED = "the reply is malformed: it is no JSON object"


@pytest.mark.parametrize(
    "tool",
    ["arrays_200", "arrays_1000", "arrays_10000", "arrays_million", "objects_10000", "open_arrays",
     "digits_10000", "digits_5000000", "exponent", "code_exponent"],
)  # fmt: skip
def test_replies_that_cannot_be_read(shared: Host, tool: str) -> None:
    shared.forget_memory()
    assert failure(shared.answer(tool)) == ("protocol", MALFORMED)
    goes_on(shared)


@pytest.mark.parametrize(
    ("tool", "result"),
    [
        ("small_exponent", {"a": 0.0}),
        ("long_fraction", {"a": 1 / 3}),
        ("members", {"a": {f"m{n}": n for n in range(200_000)}}),
        ("same_members", {"a": {"a": 2}}),
        ("violations", {"a": [f"v{n}" for n in range(100_000)]}),
    ],
)
def test_replies_that_can(shared: Host, tool: str, result: Any) -> None:
    shared.forget_memory()
    answer = shared.answer(tool)
    assert answer["seconds"] < SOON
    assert answer["response"]["status"] == "success", str(answer["response"])[:500]
    assert answer["response"]["result"] == result
    goes_on(shared)


def test_a_great_many_blocks(shared: Host) -> None:
    shared.forget_memory()
    answer = shared.answer("blocks")
    assert answer["seconds"] < SOON
    assert len(answer["response"]["content"]) == 200_000
    goes_on(shared)


def test_violations_of_a_promise_are_few(shared: Host) -> None:
    told = shared.call("violations")["meta"]["dev.isonomy/output_violations"]
    assert len(told) == 16


def test_ids_that_nobody_has(shared: Host, by: str) -> None:
    kind, _ = failure(shared.answer("wrong_ids", deadline=DEADLINE))
    assert kind == ("timeout" if by == "stdio" else "connection_lost")  # there its stream ends
    assert shared.result("wrong_then_right") == "right"
    assert shared.result("twice") == "first"
    goes_on(shared)


# What has no end, by the standard streams ---------------------------------------------------------


def test_a_reply_of_a_gigabyte(start_host: StartHost, reach: Any) -> None:
    host = start_host(**reach("stdio"))
    told = failure(host.answer("giant"))
    assert told == ("too_large", "the reply takes more than 67108864 bytes")
    goes_on(host)


def test_a_line_without_an_end(start_host: StartHost, reach: Any) -> None:
    host = start_host(**reach("stdio"), max_reply=CAP)
    began = time.monotonic()
    told = failure(host.answer("endless_line"))  # without a deadline
    assert told == ("too_large", f"the reply takes more than {CAP} bytes")
    assert time.monotonic() - began < SOON
    assert failure(host.answer("echo", deadline=DEADLINE))[0] in {"timeout", "too_large"}
    assert host.most_memory() < MEMORY


@pytest.mark.parametrize("tool", ["stray_line", "byte_by_byte"])
def test_what_never_becomes_a_message(start_host: StartHost, reach: Any, tool: str) -> None:
    host = start_host(**reach("stdio"), max_reply=CAP)
    kind, _ = failure(host.answer(tool, deadline=DEADLINE))
    assert kind in {"timeout", "too_large"}
    assert host.most_memory() < MEMORY


@pytest.mark.parametrize(
    "tool",
    ["log_flood", "unknown_flood", "changed_flood", "progress_flood", "stray_flood", "reply_flood",
     "blank_flood"],
)  # fmt: skip
def test_floods(start_host: StartHost, reach: Any, tool: str) -> None:
    host = start_host(**reach("stdio"), max_reply=CAP)
    flooded = host.submit(tool, deadline=DEADLINE)
    if tool == "progress_flood":
        assert flooded.moves.wait(SOON)
    time.sleep(0.2)  # it begins with the call; that other calls are answered is no matter of time
    if tool != "changed_flood":  # by which every call would have the list read before
        assert host.answer("echo", deadline=SOON)["response"]["result"] == "here"
    assert failure(flooded.result(SOON + 10))[0] == "timeout"
    assert host.most_memory() < MEMORY


def test_a_flood_of_errors(start_host: StartHost, reach: Any) -> None:
    host = start_host(**reach("stdio"))
    assert host.result("error_stream") == "said it"
    goes_on(host)


@pytest.mark.parametrize("tool", ["stops_reading", "pings"])
def test_a_server_that_reads_nothing(start_host: StartHost, reach: Any, tool: str) -> None:
    host = start_host(**reach("stdio"))
    deaf = host.submit(tool, deadline=30)
    large = [host.submit("echo", {"text": "x" * 5 * MIB}, deadline=DEADLINE) for _ in range(2)]
    small = [host.submit("echo", deadline=DEADLINE) for _ in range(5)]
    for call in [*large, *small]:
        answer = call.result(SOON + 10)
        assert failure(answer)[0] == "timeout"
        assert answer["seconds"] < DEADLINE + 5
    assert not deaf.done()
    began = time.monotonic()
    host.close()
    assert time.monotonic() - began < 40
    assert deaf.result(1)["response"]["error"]["kind"] in {"connection_lost", "timeout"}


# What has no end, by HTTP -------------------------------------------------------------------------


@pytest.mark.parametrize("tool", ["giant_body", "giant_length", "giant_chunks", "giant_event"])
def test_a_body_above_the_cap(start_host: StartHost, reach: Any, tool: str) -> None:
    host = start_host(**reach("http"))
    told = failure(host.answer(tool))
    assert told == ("too_large", "the reply takes more than 67108864 bytes")
    goes_on(host)


@pytest.mark.parametrize("tool", ["endless_event", "short_lines"])
def test_an_event_without_an_end(start_host: StartHost, reach: Any, tool: str) -> None:
    host = start_host(**reach("http"), max_reply=CAP)
    told = failure(host.answer(tool))  # without a deadline
    assert told == ("too_large", f"the reply takes more than {CAP} bytes")
    goes_on(host)


@pytest.mark.parametrize(
    "tool",
    ["slow_head", "slow_body", "slow_events", "endless_hints", "event_flood", "event_progress",
     "event_changed", "trailers"],
)  # fmt: skip
def test_what_drips_or_floods(start_host: StartHost, reach: Any, tool: str) -> None:
    host = start_host(**reach("http"), max_reply=CAP)
    answer = host.answer(tool, deadline=DEADLINE)
    assert failure(answer)[0] in {"timeout", "protocol", "connection_lost"}
    assert answer["seconds"] < DEADLINE + 5
    goes_on(host)


@pytest.mark.parametrize("tool", ["slow_head", "slow_body", "slow_events"])
def test_what_drips_is_a_timeout(start_host: StartHost, reach: Any, tool: str) -> None:
    host = start_host(**reach("http"), max_reply=CAP)
    slow = [host.submit(tool, deadline=DEADLINE) for _ in range(10)]
    assert host.result("echo") == "here"
    for call in slow:
        assert failure(call.result(SOON))[0] == "timeout"
    goes_on(host)


@pytest.mark.parametrize(
    "tool",
    ["endless_head", "endless_field", "chunk_line", "status_line", "no_http", "negative_length",
     "long_length", "no_length"],
)  # fmt: skip
def test_what_is_no_http(start_host: StartHost, reach: Any, tool: str) -> None:
    host = start_host(**reach("http"), max_reply=CAP)
    answer = host.answer(tool, deadline=SOON)
    assert failure(answer)[0] in {"connection_lost", "protocol"}, answer
    goes_on(host)


def test_a_bomb_in_a_coding_that_was_not_asked_for(start_host: StartHost, reach: Any) -> None:
    host = start_host(**reach("http"))
    assert failure(host.answer("gzip_bomb")) == ("protocol", MALFORMED)
    goes_on(host)


# Before calls -------------------------------------------------------------------------------------

SLOW = "it is not ready in time"
NEVER_READY = {
    "stdio": {
        "many_tools": "it offers more than 10000 tools",
        "endless_tools": "it offers more than 10000 tools",
        "same_page": "the pages of its tools have no end",
        "endless_pages": "",
        "long_cursors": "",
        "long_names": "",
        "deep_schema": "",
        "silent": SLOW,
        "endless_line": SLOW,
        "flood": SLOW,
    },
    "http": {
        "many_tools": "it offers more than 10000 tools",
        "endless_pages": "",
        "silent": SLOW,
        "drip_head": SLOW,
        "drip_body": SLOW,
        "drip_events": SLOW,
        "endless_head": "",
        "endless_hints": "",
        "flood": SLOW,
    },
}


@pytest.mark.parametrize(
    ("by_what", "how"), [(by_what, how) for by_what, hows in NEVER_READY.items() for how in hows]
)
def test_servers_that_never_get_ready(
    start_host: StartHost, reach: Any, by_what: str, how: str
) -> None:
    expected = NEVER_READY[by_what][how]
    limit = 1.0 if expected == SLOW else 6.0
    settings = {**reach(by_what, how), "start_timeout": limit, "max_reply": CAP}
    # With names of tools the host starts all the same, so that its memory can be measured.
    began = time.monotonic()
    host = start_host(**settings, tools=["echo"])
    assert time.monotonic() - began < limit + 8
    error = host.error("echo")
    assert (error["kind"], error["effect"]) == ("connection_lost", "none")
    reason = error["message"].removeprefix('the MCP server "server" cannot be reached: ')
    assert reason != error["message"]
    assert len(reason) < 1_100
    if expected == SLOW:
        assert "in 1 seconds" in reason or "too large" in reason, reason
    elif expected:
        assert reason == expected
    assert host.most_memory() < MEMORY


def test_a_server_without_names_is_unavailable(start_host: StartHost, reach: Any) -> None:
    with pytest.raises(Unavailable, match="it offers more than 10000 tools"):
        start_host(**reach("stdio", "many_tools"))


# Schemas ------------------------------------------------------------------------------------------

UNUSABLE = {
    "root_cycle", "part_cycle", "loop", "remote", "file", "a_list", "a_text", "a_number",
    "type_of_all", "odd_properties",
}  # fmt: skip
GIVEN: dict[str, Any] = {
    "laughs": {},
    "pattern": {"text": "a" * 50_000 + "!"},
    "pattern_alternatives": {"text": "a" * 50_000},
    "pattern_counts": {"text": "a" * 5_000 + "!"},
    "pattern_long": {"text": "a" * 50},
    "alternatives": {"text": "none"},
}


def test_schemas(start_host: StartHost, reach: Any) -> None:
    began = time.monotonic()
    host = start_host(**reach("stdio", "schemas"), max_reply=CAP)
    assert time.monotonic() - began < SOON
    ends = {}
    for tool in host.tools:
        answer = host.answer(tool, GIVEN.get(tool, {"text": "x"}))
        assert answer["seconds"] < SOON, tool
        response = answer["response"]
        ends[tool] = response["error"]["kind"] if "error" in response else response["result"]
        if tool in UNUSABLE:
            error = response["error"]
            assert (error["kind"], error["effect"]) == ("protocol", "none"), tool
            assert error["message"].startswith("the tool's input schema cannot be used: "), tool
    assert ends["own_tree"] == ends["deep_100"] == "accepted"
    for tool in ("pattern", "alternatives"):
        assert ends[tool] in {"invalid_arguments", "protocol"}, ends
    assert host.most_memory() < MEMORY
