# SPDX-License-Identifier: Apache-2.0
"""The MCP server of the matrix: each of its tools ends in the way that its name says.

It is run as a program, by its standard streams, and needs the standard library only. `amount` comes
back; `together` calls meet here before any of them is answered, the last one first, which proves
that they run side by side in one session. Where they do not, it ends by SIGALRM.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import Any, Final

TOOLS: Final = ("mcp_success", "mcp_is_error", "mcp_json_rpc_error", "mcp_server_killed")
_LIMIT_SECONDS: Final = 20
_SCHEMA: Final = {
    "type": "object",
    "properties": {"amount": {"type": "integer"}, "together": {"type": "integer"}},
    "required": ["amount", "together"],
}

Message = dict[str, Any]


def main() -> None:
    """Answer until the input ends."""
    waiting: list[Message] = []
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("method") != "tools/call":
            _answer(message, _told(message))
            continue
        waiting.append(message)
        if len(waiting) < message["params"]["arguments"]["together"]:
            signal.alarm(_LIMIT_SECONDS)
            continue
        signal.alarm(0)
        while waiting:
            call = waiting.pop()
            _answer(call, _ended(call["params"]["name"], call["params"]["arguments"]["amount"]))


def _told(message: Message) -> Message:
    if message.get("method") == "initialize":
        version = message["params"]["protocolVersion"]
        info = {"name": "matrix", "version": "1"}
        return _result(protocolVersion=version, capabilities={"tools": {}}, serverInfo=info)
    if message.get("method") == "tools/list":
        tools = [{"name": name, "description": name, "inputSchema": _SCHEMA} for name in TOOLS]
        return _result(tools=tools)
    return {"error": {"code": -32601, "message": "no such method"}}


def _ended(name: str, amount: int) -> Message:
    if name == "mcp_success":
        order = {"order": "A-17", "amount": amount, "paid": True, "note": None}
        link = {"type": "resource_link", "uri": "orders:A-17", "name": "A-17"}
        return _result(
            content=[_text("Error: none"), link, {"type": "receipt", "number": 3}],
            structuredContent=order,
            isError=False,
            _meta={"trace_id": "t-1"},
        )
    if name == "mcp_is_error":
        receipt = {"type": "receipt", "number": 3}
        return _result(
            content=[_text("card declined"), receipt, _text("ask the bank")],
            structuredContent={"card": {"last4": "4242"}, "amount": amount},
            isError=True,
            _meta={"attempt": "first"},
        )
    if name == "mcp_json_rpc_error":
        data = {"amount": amount}
        return {"error": {"code": -32602, "message": "no such order", "data": data}}
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("nobody comes here")


def _text(text: str) -> Message:
    return {"type": "text", "text": text}


def _result(**members: Any) -> Message:
    return {"result": members}


def _answer(message: Message, answer: Message) -> None:
    if "id" in message:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
