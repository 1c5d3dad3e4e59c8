# SPDX-License-Identifier: Apache-2.0
"""How a session begins, and which tools a server has (14.13, 14.16, 14.17)."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import pytest

from isonomy.contract.error import Effect, ErrorKind
from isonomy.contract.misuse import Misuse
from isonomy.mcp import McpUnavailable, mcp_server
from isonomy.runtime.executor import ToolExecutor
from isonomy.tools.tool import Tool
from tests.mcp.conftest import Start


def names(tools: Iterable[Tool]) -> list[str]:
    return [tool.name for tool in tools]


def test_all_pages_are_read(start: Start) -> None:
    assert names(start(env={"SCRIPTED_LIST": "pages"}).server) == ["echo", "is_error"]


def test_an_allow_list(start: Start) -> None:
    assert names(start(tools=["text", "echo"]).server) == ["text", "echo"]


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"SCRIPTED_LIST": "many"}, "it offers more than 10000 tools"),
        ({"SCRIPTED_LIST": "loop"}, "the pages of its tools have no end"),
        ({"SCRIPTED_START": "revision"}, 'it speaks the revision "1999-01-01"'),
        ({"SCRIPTED_START": "exit"}, 'the MCP server "scripted" ended (exit code 4)'),
    ],
)
def test_a_server_that_does_not_begin_well(start: Start, how: dict[str, str], why: str) -> None:
    with pytest.raises(McpUnavailable) as unavailable:
        start(env=how)
    assert 'the MCP server "scripted" cannot be reached: ' in str(unavailable.value)
    assert why in str(unavailable.value)


def test_a_server_that_never_answers(start: Start) -> None:
    with pytest.raises(McpUnavailable, match=r"it did not answer initialize in 0\.5 seconds"):
        start(env={"SCRIPTED_START": "silent"}, start_timeout=0.5)


def test_a_program_that_is_not_there() -> None:
    with pytest.raises(McpUnavailable, match="no-such-program cannot be started"):
        mcp_server(["no-such-program"])


def test_a_folder_that_is_not_there() -> None:
    with pytest.raises(McpUnavailable, match="its working directory no-such-folder is no folder"):
        mcp_server([sys.executable], cwd="no-such-folder")


@pytest.mark.parametrize(
    ("command", "code"), [(["true"], 0), (["sh", "-c", "exec <&-; sleep 0.1; exit 5"], 5)]
)
def test_a_server_that_reads_nothing(command: list[str], code: int) -> None:
    """Whether its end or the closed pipe is seen first, it is the end that is told."""
    for _ in range(5):
        with pytest.raises(McpUnavailable) as unavailable:
            mcp_server(command, name="brief")
        assert str(unavailable.value) == (
            'the MCP server "brief" cannot be reached: the MCP server "brief" ended'
            f" (exit code {code})"
        )


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"command": ["a"], "tools": "stock"}, "tools as a list of names, got 'stock'"),
        ({"command": ["a"], "tools": [1]}, "tools as a list of names"),
        ({"command": ["a"], "env": {"A": 1}}, "the variable 'A' of env or its value is no text"),
        ({"command": ["a"], "headers": {"A": "b"}}, "headers are for a url"),
        ({"url": "http://localhost/", "env": {"A": "b"}}, "env and cwd are for a command"),
        ({"url": "http://localhost/", "cwd": "."}, "env and cwd are for a command"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(Misuse, match=said):
        mcp_server(**settings)


def test_a_name_that_the_server_does_not_have(
    start: Start, caplog: pytest.LogCaptureFixture
) -> None:
    assert names(start(tools=["text", "txet"]).server) == ["text"]
    assert '"scripted": it has no tool named "txet"; left out' in caplog.text


def test_a_port_where_nobody_listens() -> None:
    with pytest.raises(McpUnavailable, match="cannot be reached"):
        mcp_server(url="http://127.0.0.1:1/mcp")


def test_with_names_a_server_may_be_down() -> None:
    with (
        mcp_server(["no-such-program"], name="down", tools=["a"]) as server,
        ToolExecutor([*server, lambda_tool]) as executor,
    ):
        error = executor.call("a").error
        assert error is not None
        assert (error.kind, error.effect) == (ErrorKind.CONNECTION_LOST, Effect.NONE)
        assert error.message.startswith('the MCP server "down" cannot be reached: no-such-program')
        assert executor.call("lambda_tool").unwrap() == 1


def lambda_tool() -> int:
    return 1


def test_odd_tools(start: Start, caplog: pytest.LogCaptureFixture) -> None:
    scripted = start(env={"SCRIPTED_LIST": "odd"})
    assert names(scripted.server) == ["echo", "cyclic", "open"]
    error = scripted.call("cyclic").error
    assert (error.kind, error.effect) == (ErrorKind.PROTOCOL, Effect.NONE)
    assert error.message.startswith("the tool's input schema cannot be used: ")
    assert scripted.sent("tools/call") == []
    assert "without a name" in caplog.text
    assert "a second tool of the name" in caplog.text


def test_two_servers_with_one_name(start: Start) -> None:  # C8
    one, two = start(tools=["text"]), start(tools=["text", "echo"])
    two.server.name = "second"
    for tool in two.server:
        tool.server = "second"
    with ToolExecutor([*one.server, *two.server]) as executor:
        assert names(executor.tools) == ["scripted__text", "second__text", "echo"]
        assert executor.call("second__text").unwrap() == "hello"
        assert (len(one.sent("tools/call")), len(two.sent("tools/call"))) == (0, 1)


def test_a_tool_of_the_host_keeps_its_name(start: Start) -> None:
    def text() -> str:
        return "mine"

    with ToolExecutor([text, *start(tools=["text"]).server]) as executor:
        assert executor.call("text").unwrap() == "mine"
        assert executor.call("scripted__text").unwrap() == "hello"


def test_one_server_twice_is_misuse(start: Start) -> None:
    one, two = start(tools=["text"]), start(tools=["text"])
    with pytest.raises(Misuse, match="two tools are named 'scripted__text'"):
        ToolExecutor([*one.server, *two.server])


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({}, "a command or a url"),
        ({"command": ["a"], "url": "http://b"}, "a command or a url"),
        ({"command": "a b"}, "a list of texts"),
        ({"command": []}, "an empty command"),
        ({"command": ["a"], "timeout": -1}, "timeout"),
        ({"command": ["a"], "max_reply": 0}, "max_reply"),
    ],
)
def test_misuse(given: dict[str, object], sentence: str) -> None:
    with pytest.raises(Misuse, match=sentence):
        mcp_server(**given)  # type: ignore[arg-type]
