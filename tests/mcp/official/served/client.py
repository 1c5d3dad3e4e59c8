# SPDX-License-Identifier: Apache-2.0
"""Speaks to an MCP server with the official client in Python, of 1.30 or 2.x.

Reads `{"command": [...]}` or `{"url": ...}` with `{"calls": [[tool, arguments]...]}` and perhaps
`{"discover": true}`, and writes `{"revision", "tools", "ends"}`: what the client makes of it.
"""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import asynccontextmanager
from typing import Any

from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

import mcp
from mcp import ClientSession, StdioServerParameters

REFUSED = getattr(mcp, "McpError", None) or mcp.MCPError


def wire(model: Any) -> Any:
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


@asynccontextmanager
async def streams(asked: dict[str, Any]) -> Any:
    if "url" in asked:
        async with streamable_http_client(asked["url"]) as ends:
            yield ends[0], ends[1]
    else:
        program, *arguments = asked["command"]
        async with stdio_client(StdioServerParameters(command=program, args=arguments)) as ends:
            yield ends


async def end_of(session: ClientSession, tool: str, arguments: Any) -> Any:
    try:
        return wire(await session.call_tool(tool, arguments))
    except REFUSED as refused:
        return {"refused": [refused.error.code, refused.error.message]}


async def main() -> None:
    asked = json.load(sys.stdin)
    async with streams(asked) as (read, write), ClientSession(read, write) as session:
        begun = await (session.discover() if asked.get("discover") else session.initialize())
        tools = [wire(each) for each in (await session.list_tools()).tools]
        ends = [await end_of(session, *call) for call in asked["calls"]]
        again = await asyncio.gather(*(end_of(session, *call) for call in asked["calls"]))
        revision = wire(begun).get("protocolVersion")
        json.dump({"revision": revision, "tools": tools, "ends": ends, "again": again}, sys.stdout)


asyncio.run(main())
