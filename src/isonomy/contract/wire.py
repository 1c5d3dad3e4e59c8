# SPDX-License-Identifier: Apache-2.0
"""The wire forms of responses, errors, calls, records and events, as trees (clauses 2, 4, 8, 9).

Bytes are made of a tree by `jsontext.write`, and a tree of bytes by `jsontext.parse`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from isonomy.contract.call import ToolCall, ToolRequest
from isonomy.contract.decoding import from_tree
from isonomy.contract.encoding import Walk
from isonomy.contract.error import ToolError
from isonomy.contract.events import CallRecord, ExecutionEvent, ResponseEvent
from isonomy.contract.response import ToolResponse
from isonomy.contract.responses import write_extras
from isonomy.contract.tagged import PortableError
from isonomy.contract.text import without_surrogates


def response_tree(response: ToolResponse) -> dict[str, Any]:
    """Give a response on the wire (clause 2); its texts are cut as clauses 4.3 and 4.10 say.

    Raises `PortableError` of kind `too_large` for an integer of more than 4,300 digits.
    """
    error = response.error
    walk = Walk(of_failure=error is not None)
    if error is None:
        tree: dict[str, Any] = {"status": "success", "result": walk.root(response.unwrap())}
    else:
        tree = {"status": "failure", "error": error_tree(error.bounded(), walk)}
    return tree | write_extras(walk, response)


def error_tree(error: ToolError, walk: Walk | None = None, *, trace: bool = True) -> dict[str, Any]:
    """Give an error on the wire, as it is (clause 4.1)."""
    parts = error.parts(trace=trace)
    if "details" in parts:
        parts["details"] = (walk or Walk(of_failure=True)).root(parts["details"])
    return parts


def call_tree(call: ToolCall) -> dict[str, Any]:
    """Give a call on the wire (clause 8.1)."""
    arguments = call.arguments
    if isinstance(arguments, str):
        arguments = without_surrogates(arguments)
    elif arguments is not None:
        arguments = Walk().root(arguments)
    return {"call_id": call.call_id, "tool": call.tool, "arguments": arguments}


def request_tree(request: ToolRequest) -> dict[str, Any]:
    """Give a request on the wire (clause 8.2)."""
    calls = [call_tree(call) for call in request.calls]
    return {"event": "tool_request", "id": request.id, "calls": calls}


def read_call(tree: Any) -> ToolCall:
    """Read a call; raises `PortableError` where it is malformed (clause 8.1)."""
    if type(tree) is not dict:
        raise _malformed("a call is an object")
    tool, call_id, arguments = tree.get("tool"), tree.get("call_id"), tree.get("arguments")
    if type(tool) is not str:
        raise _malformed("`tool` of a call is a string")
    if call_id is not None and type(call_id) is not str:
        raise _malformed("`call_id` of a call is a string or null")
    if type(arguments) is dict:
        arguments = from_tree(arguments)
        if not isinstance(arguments, Mapping):
            raise _malformed("`arguments` of a call is an object, text or null")
    elif arguments is not None and type(arguments) is not str:
        raise _malformed("`arguments` of a call is an object, text or null")
    return ToolCall(tool, arguments, call_id)


def read_request(tree: Any) -> ToolRequest:
    """Read a request; raises `PortableError` where it is malformed (clause 8.2)."""
    if type(tree) is not dict or tree.get("event") != "tool_request":
        raise _malformed("a request is an object with the event `tool_request`")
    calls, name = tree.get("calls"), tree.get("id")
    if type(calls) is not list:
        raise _malformed("`calls` of a request is a list")
    if name is not None and type(name) is not str:
        raise _malformed("`id` of a request is a string or null")
    return ToolRequest(tuple(map(read_call, calls)), name)


def record_tree(record: CallRecord) -> dict[str, Any]:
    """Give a record on the wire (clause 8.4)."""
    tree = {
        "position": record.position,
        "call_id": record.call_id,
        "tool": record.tool,
        "response": response_tree(record.response),
        "execution": record.execution.value,
        "attempts": record.attempts,
        "started_at": record.started_at,
        "duration_us": record.duration_us,
    }
    return tree | {"decoded": list(record.decoded)} if record.decoded else tree


def event_tree(event: ResponseEvent | ExecutionEvent) -> dict[str, Any]:
    """Give an event on the wire (clauses 8.3 and 9.1)."""
    if isinstance(event, ResponseEvent):
        records = [record_tree(record) for record in event.records]
        return {"event": "tool_response", "id": event.id, "records": records}
    return _execution_tree(event)


def _execution_tree(event: ExecutionEvent) -> dict[str, Any]:
    tree: dict[str, Any] = {
        "event": "execution",
        "type": event.type,
        "batch": event.batch,
        "seq": event.seq,
        "position": event.position,
        "call_id": event.call_id,
        "tool": event.tool,
        "at": event.at,
    }
    for name in ("execution", "attempts", "duration_us", "kind", "reason"):
        value = getattr(event, name)
        if value is not None:
            tree[name] = value.value if name in ("execution", "kind") else value
    if event.progress is not None:
        tree |= event.progress._asdict()
    return tree


def _malformed(sentence: str) -> PortableError:
    return PortableError("malformed", sentence)
