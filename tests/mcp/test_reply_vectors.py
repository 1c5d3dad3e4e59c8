# SPDX-License-Identifier: Apache-2.0
"""What raw replies of servers become, and the names that model APIs see."""

from __future__ import annotations

from isonomy.contract.mapping import to_response
from isonomy.mcp.messages import read_message
from isonomy.mcp.replies import Output, read_reply
from isonomy.tools.names import SafeNames
from tests.expected import Side, check_response
from tests.making import named
from tests.vectors import Case, each

MCP = Side("mcp", named)


@each("mcp")
def test_mcp(case: Case) -> None:
    if "name" in case:
        assert SafeNames([case["name"]]).safe(case["name"]) == case["model_name"]
        return
    message = read_message(case["reply"].encode())
    assert message is not None
    schema = case.get("output_schema")
    output = None if schema is None else Output(schema, "tool")
    check_response(to_response(read_reply(message, output)), case["response"], MCP)
