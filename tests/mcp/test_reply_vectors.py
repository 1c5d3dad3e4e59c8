# SPDX-License-Identifier: Apache-2.0
"""What replies and lists of servers become, and the names of tools, as the vectors say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import pytest

from isonomy.contract.jsontext import parse, write
from isonomy.contract.mapping import to_response
from isonomy.contract.misuse import Misuse
from isonomy.contract.response import ToolFailure, ToolResponse
from isonomy.mcp.connection import Unreachable
from isonomy.mcp.listing import listed
from isonomy.mcp.mcp_tool import McpTool
from isonomy.mcp.messages import read_message
from isonomy.mcp.replies import Output, read_reply, unreadable
from isonomy.mcp.server import McpServer
from isonomy.tools.names import SafeNames
from isonomy.tools.registry import ToolRegistry
from isonomy.tools.sources import as_tool
from isonomy.tools.tool import Tool
from tests.expected import Side, check_response, normal
from tests.making import named
from tests.vectors import Case, each

MCP = Side("mcp", named)


def read(reply: str, case: Case) -> ToolResponse:
    """Read the text of a reply as the body of an HTTP answer of status 200."""
    message = read_message(reply.encode())
    if message is None:
        return to_response(unreadable())
    schema = case.get("output_schema")
    output = None if schema is None else Output(schema, "tool")
    return to_response(read_reply(message, output))


@each("mcp", lambda case: "reply" in case)
def test_replies(case: Case) -> None:
    case.get("output_schema")
    check_response(read(case["reply"], case), case["response"], MCP)


@each("mcp", lambda case: "serve" in case)
def test_what_is_read_of_our_own_server(case: Case) -> None:  # 14.28
    case.get("options")  # of the server
    expected = ToolResponse.from_wire(parse(case["back"] if "back" in case else case["serve"]))
    if "back" not in case and isinstance(expected, ToolFailure):
        error = replace(expected.error, trace=None)
        expected = ToolFailure(error, expected.content, expected.meta)
    response = read('{"jsonrpc":"2.0","id":7,"result":' + case["mcp"] + "}", case)
    assert normal(write(response.to_wire())) == normal(write(expected.to_wire()))


@each("mcp", lambda case: "pages" in case)
def test_lists(case: Case) -> None:
    pages = [read_message(page.encode()) for page in case["pages"]]
    asked: list[Mapping[str, Any]] = []

    def ask(method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        assert method == "tools/list"
        asked.append(params)
        return cast("Mapping[str, Any]", pages[len(asked) - 1])

    if "unreachable" in case:
        assert case["unreachable"] is True
        with pytest.raises(Unreachable):
            listed(ask, '"s"')
    else:
        assert list(listed(ask, '"s"')) == case["names"]
    cursors = [cast("Mapping[str, Any]", page).get("nextCursor") for page in pages]
    assert asked == [{}, *({"cursor": cursor} for cursor in cursors[:-1])]


@each("mcp", lambda case: "sources" in case)
def test_names_of_several_servers(case: Case) -> None:
    sources = [tools_of(source["server"], source["tools"]) for source in case["sources"]]
    everything = [tool for tools in sources for tool in tools]
    if "misuse" in case:
        assert case["misuse"] is True
        with pytest.raises(Misuse):
            ToolRegistry(everything)
        return
    names = [tool.name for tool in ToolRegistry(everything)]
    assert names == [name for of_source in case["names"] for name in of_source]


def tools_of(server: str | None, names: list[str]) -> list[Tool]:
    if server is None:
        return [as_tool(lambda: None, name=name) for name in names]
    no_server = McpServer.__new__(McpServer)
    no_server.name = server
    return [McpTool(no_server, name, {}, None) for name in names]


@each("mcp", lambda case: "model_name" in case)
def test_the_name_for_a_model(case: Case) -> None:
    assert SafeNames([case["name"]]).safe(case["name"]) == case["model_name"]


@each("mcp", lambda case: "model_names" in case)
def test_the_names_for_a_model(case: Case) -> None:
    names = SafeNames(case["names"])
    assert [names.safe(name) for name in case["names"]] == case["model_names"]
    assert [names.original(safe) for safe in case["model_names"]] == case["names"]
